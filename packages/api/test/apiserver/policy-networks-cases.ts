/** Somebody who puts a pod, or a pod template, on networks; without words it is accepted. */
export type Attachment = {
  /** `policy/validation` that judges. */
  readonly rule: string;
  readonly user: string;
  readonly kind: 'Pod' | 'Deployment' | 'Job' | 'VirtualMachine' | 'VirtualMachineInstance' | 'VirtualMachineInstanceReplicaSet';
  readonly annotations: Readonly<Record<string, string>>;
  /** For machines: their networks, as KubeVirt writes them. */
  readonly cards?: readonly Card[];
  readonly words?: RegExp;
};

type Card = {
  readonly name: string;
  readonly multus?: { readonly networkName: string; readonly default?: boolean };
  readonly pod?: object;
};

const networks = 'k8s.v1.cni.cncf.io/networks';
const controller = (name: string) => `system:serviceaccount:kube-system:${name}-controller`;
const person = 'system:serviceaccount:lab:tenant';
const operator = 'system:serviceaccount:sync-operator:terrain-operator';

/** Who is who in them. */
export const attachmentUsers = { person, operator } as const;

const first = { rule: 'terrain-pod-networks/keepsFirstNetwork', kind: 'Pod' } as const;
const made = { rule: 'terrain-pod-networks/madeByController', kind: 'Pod' } as const;
const home = { rule: 'terrain-pod-networks/staysAtHome', kind: 'Pod', user: controller('replicaset') } as const;
const template = { rule: 'terrain-template-networks/writtenByOperator' } as const;
const elsewhere = /A pod may be put only on networks of its own namespace/;

const on = (networkName: string, rest: { readonly default?: boolean } = {}): readonly Card[] => [
  { name: 'nic0', multus: { networkName, ...rest } },
];
const kubevirt = 'system:serviceaccount:kubevirt:kubevirt-controller';
const machine = (rule: string) =>
  ({ rule: `terrain-machine-networks/${rule}`, kind: 'VirtualMachine', annotations: {} }) as const;
const instance = (rule: string) =>
  ({ rule: `terrain-machineinstance-networks/${rule}`, kind: 'VirtualMachineInstance', annotations: {} }) as const;
const onlyOperator = /Only the operator may put machines on networks here/;
const onlyControllers = /Only controllers may put machines on networks here/;
const machineElsewhere = /A machine may be put only on networks of its own namespace/;
const replaced = /A machine may not replace its first network here/;

/** `HERE` in an annotation or the name of a network stands for the namespace of the pod. */
export const attachments: Readonly<Record<string, Attachment>> = {
  'a pod on no network but its first': { ...made, user: person, annotations: { other: 'x' } },
  'a pod of a tenant in the place of another lab': {
    ...first,
    user: person,
    annotations: { 'v1.multus-cni.io/default-network': '[{"name":"front","namespace":"ws-a"}]' },
    words: /default-network is not allowed here/,
  },
  'the same by a controller, as when a nested cluster passes it on': {
    ...first,
    user: controller('replicaset'),
    annotations: { 'v1.multus-cni.io/default-network': 'HERE/front' },
    words: /default-network is not allowed here/,
  },
  'a pod that a tenant puts on a network of the lab': {
    ...made,
    user: person,
    annotations: { [networks]: 'front' },
    words: /Only controllers may put pods on networks here/,
  },
  'one that a controller makes from a template': {
    ...made,
    user: controller('replicaset'),
    annotations: { [networks]: 'front' },
  },
  'one of a Job': { ...made, user: controller('job'), annotations: { [networks]: '[{"name":"front","ips":["10.0.0.2/24"]}]' } },
  'its own namespace, written out': { ...home, annotations: { [networks]: 'front, HERE/back@net2' } },
  'its own namespace in JSON': { ...home, annotations: { [networks]: '[{"name":"front","namespace":"HERE"}]' } },
  'another namespace': { ...home, annotations: { [networks]: 'front,ws-a/back' }, words: elsewhere },
  'another namespace in JSON': {
    ...home,
    annotations: { [networks]: '[{"name":"front"},{"name":"back", "namespace" : "ws-a"}]' },
    words: elsewhere,
  },
  'another namespace under a key in capitals': {
    ...home,
    annotations: { [networks]: '[{"name":"back","NameSpace":"ws-a"}]' },
    words: elsewhere,
  },
  'another namespace under a key with an escape': {
    ...home,
    annotations: { [networks]: '[{"name":"back","\\u006eamespace":"ws-a"}]' },
    words: elsewhere,
  },
  'a template of a tenant': {
    ...template,
    kind: 'Deployment',
    user: person,
    annotations: { [networks]: 'front' },
    words: /Only the operator may put pod templates on networks here/,
  },
  'a Job of a tenant': {
    ...template,
    kind: 'Job',
    user: person,
    annotations: { [networks]: 'front' },
    words: /Only the operator may put pod templates on networks here/,
  },
  'a template of the operator': { ...template, kind: 'Deployment', user: operator, annotations: { [networks]: 'front' } },
  'a template of a tenant without networks': { ...template, kind: 'Deployment', user: person, annotations: {} },
  'a machine of a person without networks': { ...machine('namedByAllowed'), user: person },
  'a machine of a person on the first network alone': {
    ...machine('namedByAllowed'),
    user: person,
    cards: [{ name: 'nic0', pod: {} }],
  },
  'a machine of a person on a network of the lab': {
    ...machine('namedByAllowed'),
    user: person,
    cards: on('front'),
    words: onlyOperator,
  },
  'a machine of a person on a network of another lab': {
    ...machine('staysAtHome'),
    user: person,
    cards: [{ name: 'nic0', pod: {} }, ...on('ws-a/front').map((card) => ({ ...card, name: 'nic1' }))],
    words: machineElsewhere,
  },
  'a machine of the operator': { ...machine('namedByAllowed'), user: operator, cards: on('HERE/front') },
  'a machine of the operator on a network of another lab': {
    ...machine('staysAtHome'),
    user: operator,
    cards: on('ws-a/front'),
    words: machineElsewhere,
  },
  'a machine in whose place of the first network is one of the lab': {
    ...machine('keepsFirstNetwork'),
    user: operator,
    cards: on('HERE/front', { default: true }),
    words: replaced,
  },
  'a machine whose annotation names another first network': {
    ...machine('keepsFirstNetwork'),
    user: operator,
    annotations: { 'v1.multus-cni.io/default-network': 'ws-a/front' },
    words: replaced,
  },
  'a machine of a person whose annotation names networks': {
    ...machine('namedByAllowed'),
    user: person,
    annotations: { [networks]: 'front' },
    words: onlyOperator,
  },
  'a set of machines of a person on a network of the lab': {
    ...machine('namedByAllowed'),
    kind: 'VirtualMachineInstanceReplicaSet',
    user: person,
    cards: on('front'),
    words: onlyOperator,
  },
  'a running machine of a person without networks': { ...instance('namedByAllowed'), user: person },
  'a running machine of a person on a network of the lab': {
    ...instance('namedByAllowed'),
    user: person,
    cards: on('front'),
    words: onlyControllers,
  },
  'a running machine of a person whose annotation names networks': {
    ...instance('namedByAllowed'),
    user: person,
    annotations: { [networks]: 'front' },
    words: onlyControllers,
  },
  'a running machine that KubeVirt makes': { ...instance('namedByAllowed'), user: kubevirt, cards: on('HERE/front') },
  'a running machine that KubeVirt makes, on a network of another lab': {
    ...instance('staysAtHome'),
    user: kubevirt,
    cards: on('ws-a/front'),
    words: machineElsewhere,
  },
  'a running machine that KubeVirt makes with another first network': {
    ...instance('keepsFirstNetwork'),
    user: kubevirt,
    cards: on('front', { default: true }),
    words: replaced,
  },
};
