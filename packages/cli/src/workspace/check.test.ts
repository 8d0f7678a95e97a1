import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFiles, isValid, renderChecked } from './check.ts';

const valid = `apiVersion: pelotech.ot/v1alpha1
kind: Workspace
metadata:
  name: lab-7
spec:
  networks:
    - name: lan
      cidr: 10.10.0.0/24
`;
const template = `apiVersion: workshop.platform/v1alpha1
kind: WorkspaceTemplate
metadata: {name: kubernetes-101}
spec:
  workspace:
    networks:
      - name: lan
        cidr: 10.10.0.1/24
`;
const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n';

const render = (text: string): string => renderChecked(checkFiles([{ file: 'x.yaml', text }]));

const cases: Record<string, { given: string; want: string; isValid: boolean }> = {
  'a lab without problems': { given: valid, want: 'x.yaml:1: Workspace lab-7 is valid\n', isValid: true },
  'a lab with problems of form and topology, by line': {
    given: `${valid}    - name: dmz\n      cidr: 10.10.0.0/16\n  colour: red\n`,
    want: [
      'x.yaml:10: spec.networks[1].cidr is "10.10.0.0/16", but it overlaps network lan (10.10.0.0/24); give each network a range of its own',
      'x.yaml:11: spec.colour is not a field of spec; known are vms, containerClusters, volumes, networks, contentImage, deployRunner, powerState, imagePullSecrets',
      '',
    ].join('\n'),
    isValid: false,
  },
  'a name that is too long for a namespace, and one with a dot': {
    given: valid.replace('lab-7', 'lab.7'),
    want: 'x.yaml:4: metadata.name is "lab.7", but at most 53 characters and no dots are allowed, because the namespace workspace-<name> is made from it; choose another name\n',
    isValid: false,
  },
  'a mistake that both checks see is told once': {
    given: `${valid}    - name: lan\n      cidr: 10.20.0.0/24\n`,
    want: 'x.yaml:9: spec.networks[1] has name "lan", as spec.networks[0] has already; each may occur once\n',
    isValid: false,
  },
  'the lab of a template, in the second document': {
    given: `${secret}---\n${template}`,
    want: 'x.yaml:12: spec.workspace.networks[0].cidr is "10.10.0.1/24", but that is an address inside the network, not its first; write 10.10.0.0/24\n',
    isValid: false,
  },
  'the labs of a List': {
    given: `kind: List\nitems:\n- apiVersion: pelotech.ot/v1alpha1\n  kind: Workspace\n  metadata: {name: a}\n  spec: {networks: [{name: lan, cidr: x}]}\n`,
    want: 'x.yaml:6: spec.networks[0].cidr is "x", but cidr must be a network in CIDR notation, such as 10.10.0.0/24\n',
    isValid: false,
  },
  'no lab at all': { given: secret, want: 'x.yaml: holds no Workspace and no WorkspaceTemplate\n', isValid: false },
  'no YAML': {
    given: 'kind: Workspace\nspec: [1\n',
    want: 'x.yaml:3: this is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]\n',
    isValid: false,
  },
  'more aliases than memory': {
    given: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n`,
    want: 'x.yaml:1: this cannot be read: Excessive alias count indicates a resource exhaustion attack\n',
    isValid: false,
  },
  'a spec that is missing': {
    given: 'apiVersion: pelotech.ot/v1alpha1\nkind: Workspace\nmetadata: {name: a}\n',
    want: 'x.yaml:1: spec is missing: it says what the Workspace is to be\n',
    isValid: false,
  },
};

for (const [name, { given, want, isValid: wanted }] of Object.entries(cases)) {
  test(`validate: ${name}`, () => {
    assert.equal(render(given), want);
    assert.equal(isValid(checkFiles([{ file: 'x.yaml', text: given }])), wanted);
  });
}

test('validate: findings for programs hold field, value, rule and line; never a password', () => {
  const text = `${valid.replace('/24', '/31')}  vms:\n    - {name: a, backingVMDiskImage: i, resources: {cpu: 1, memory: 1Gi}, users: [{name: u, plain_text_passwd: 12345}]}\n`;
  const [lab] = checkFiles([{ file: '-', text }]).labs;
  assert.deepEqual(lab?.problems[0], {
    line: 8,
    field: 'spec.networks[0].cidr',
    value: '10.10.0.0/31',
    rule: 'that leaves no room for two machines; use a prefix length of at most 30',
    message:
      'spec.networks[0].cidr is "10.10.0.0/31", but that leaves no room for two machines; use a prefix length of at most 30',
  });
  assert.equal(lab?.problems[1]?.field, 'spec.vms[0].users[0].plain_text_passwd');
  assert.doesNotMatch(JSON.stringify(lab), /12345/);
});

test('validate: ranges of the cluster count when they are given', () => {
  const { labs } = checkFiles([{ file: 'x', text: valid }], { podRanges: ['10.0.0.0/8'] });
  assert.match(labs[0]?.problems[0]?.message ?? '', /overlaps the range of the cluster's pods \(10\.0\.0\.0\/8\)/);
});
