/** Somebody who puts a pod, or a pod template, on networks; without words it is accepted. */
export type Attachment = {
  /** `policy/validation` that judges. */
  readonly rule: string;
  readonly user: string;
  readonly kind: 'Pod' | 'Deployment' | 'Job';
  readonly annotations: Readonly<Record<string, string>>;
  readonly words?: RegExp;
};

const networks = 'k8s.v1.cni.cncf.io/networks';
const controller = (name: string) => `system:serviceaccount:kube-system:${name}-controller`;
const person = 'system:serviceaccount:lab:tenant';
const operator = 'system:serviceaccount:sync-operator:terrain-operator';

const first = { rule: 'terrain-pod-networks/keepsFirstNetwork', kind: 'Pod' } as const;
const made = { rule: 'terrain-pod-networks/madeByController', kind: 'Pod' } as const;
const home = { rule: 'terrain-pod-networks/staysAtHome', kind: 'Pod', user: controller('replicaset') } as const;
const template = { rule: 'terrain-template-networks/writtenByOperator' } as const;
const elsewhere = /A pod may be put only on networks of its own namespace/;

/** `HERE` in an annotation stands for the namespace of the pod. */
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
};
