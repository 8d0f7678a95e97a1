import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '#kinds.ts';
import { minimalManifests } from '#minimal/manifests.ts';
import {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
} from '#testing/builders.ts';
import { offlineRules } from './scalar.ts';
import { validateManifest } from './validate.ts';

const messages = (manifest: unknown): string[] => validateManifest(manifest).map(({ message }) => message);

/** A manifest with fields of any type, as a person may write it. */
const image = (spec: object, metadata: object = {}): unknown => {
  const base = aVMDiskImage();
  return { ...base, metadata: { ...base.metadata, ...metadata }, spec: { ...base.spec, ...spec } };
};
const workspace = (spec: object): unknown => ({ ...aWorkspace(), spec });
const vm = { name: 'web', backingVMDiskImage: 'debian', resources: { cpu: 1, memory: '1Gi' } };

test('the least manifest of every kind has no problem', () => {
  assert.deepEqual(minimalManifests.map(({ kind }) => kind).sort(), kinds.map(({ kind }) => kind).sort());
  for (const manifest of minimalManifests) assert.deepEqual(messages(manifest), [], manifest.kind);
});

test('the objects tests are built from have no problem', () => {
  const objects = [aVMDiskImage(), aDataSync(), aVirtualMachine(), aWorkspace(), aWorkspaceTemplate(), aWorkspaceInstance()];
  for (const object of objects) assert.deepEqual(messages(object), [], object.kind);
});

const refused: Record<string, { given: unknown; want: string[] }> = {
  'no object at all': {
    given: 'kind: VMDiskImage',
    want: ['The manifest is not an object with apiVersion, kind, metadata and spec'],
  },
  'a kind with a typing mistake': {
    given: { ...aVMDiskImage(), kind: 'VMDiskimages' },
    want: [
      'kind is "VMDiskimages", but must be one of VMDiskImage, DataSync, VirtualMachine, Workspace, WorkspaceTemplate, WorkspaceInstance; did you mean VMDiskImage?',
    ],
  },
  'the VirtualMachine of KubeVirt': {
    given: { ...aVirtualMachine(), apiVersion: 'kubevirt.io/v1' },
    want: ['apiVersion is "kubevirt.io/v1", but must be pelotech.ot/v1alpha1 for a VirtualMachine'],
  },
  'no name': {
    given: aVMDiskImage({ metadata: { name: undefined } }),
    want: ['metadata.name is missing: every object needs a name'],
  },
  'a name with capitals': {
    given: image({}, { name: 'Debian' }),
    want: [
      'metadata.name is "Debian", but must have at most 253 lower-case letters, digits, dashes and dots, and begin and end with a letter or digit',
    ],
  },
  'no spec': {
    given: { ...aVMDiskImage(), spec: undefined },
    want: ['spec is missing: it says what the VMDiskImage is to be'],
  },
  'a missing field': {
    given: image({ sourceType: undefined }),
    want: [
      'spec.sourceType is missing: How to download it: s3 (with secretRef), http (also for public buckets), registry (a container image with the disk under /disk), gcs, or blank for an empty disk.',
    ],
  },
  'a null, which counts as missing': {
    given: aVMDiskImage({ spec: { diskSize: null as never } }),
    want: ['spec.diskSize is missing: Size of the disk, such as 24Gi. At least the virtual size of the image.'],
  },
  'an unknown field that looks like one': {
    given: image({ storageclass: 'gp3' }),
    want: ['spec.storageclass is not a field of spec; did you mean storageClass?'],
  },
  'an unknown field that looks like none': {
    given: workspace({ colour: 'red' }),
    want: [
      'spec.colour is not a field of spec; known are vms, containerClusters, volumes, networks, contentImage, deployRunner, powerState, imagePullSecrets',
    ],
  },
  'a word that is not in the list': {
    given: image({ sourceType: 'htpp' }),
    want: ['spec.sourceType is "htpp", but must be s3, http, registry, gcs or blank; did you mean http?'],
  },
  'a version that YAML takes for a number': {
    given: aDataSync({ spec: { version: 2.1 as never } }),
    want: ['spec.version is 2.1, which YAML reads as a number although text is expected; put it in quotes'],
  },
  'an object where text belongs': { given: image({ name: {} }), want: ['spec.name is {}, but must be text'] },
  'text where a switch belongs': { given: image({ retain: 'yes' }), want: ['spec.retain is "yes", but must be true or false'] },
  'text where an object belongs': {
    given: workspace({ deployRunner: 'here' }),
    want: ['spec.deployRunner is "here", but must be an object with fields'],
  },
  'an object where a list belongs': { given: workspace({ vms: {} }), want: ['spec.vms is {}, but must be a list'] },
  'a size without a unit anybody knows': {
    given: image({ diskSize: '24GB' }),
    want: [
      'spec.diskSize is "24GB", but diskSize must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi',
    ],
  },
  'a size of nothing': {
    given: image({ diskSize: 0 }),
    want: [
      'spec.diskSize is 0, but diskSize must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi',
    ],
  },
  'a fraction YAML takes for a number': {
    given: aVirtualMachine({ spec: { resources: { cpu: 0.5 } } }),
    want: ['spec.resources.cpu is 0.5, a number with a fraction; put it in quotes'],
  },
  'a list for a size': {
    given: image({ diskSize: [] }),
    want: ['spec.diskSize is [], which is not a quantity such as 500m, 2 or 24Gi'],
  },
  'a duration in days': {
    given: aWorkspaceTemplate({ spec: { defaults: { lifecycle: { ttl: '2d' } } } }),
    want: ['spec.defaults.lifecycle.ttl is "2d", but must be a duration such as 90s, 30m or 2h'],
  },
  'a duration of nothing': {
    given: aWorkspaceTemplate({ spec: { defaults: { lifecycle: { ttl: '0h' } } } }),
    want: [
      'spec.defaults.lifecycle.ttl is "0h", but lifecycle.ttl must be longer than zero; write a duration such as 90s, 30m or 2h',
    ],
  },
  'an address without prefix length': {
    given: workspace({ vms: [{ ...vm, interfaces: [{ network: 'lan', ipAddress: '10.10.0.10' }] }] }),
    want: [
      'spec.vms[0].interfaces[0].ipAddress is "10.10.0.10", but ipAddress must be an IP address with its prefix length, such as 10.10.0.161/24',
    ],
  },
  'a text that is too long': {
    given: image({ name: 'é'.repeat(64) }),
    want: [`spec.name is "${'é'.repeat(59)}…, which has 64 characters; at most 63 are allowed`],
  },
  'an empty text': {
    given: aWorkspaceInstance({ spec: { owner: '' } }),
    want: ['spec.owner is "", but may not be empty'],
  },
  'a name that ends with a dash': {
    given: aDataSync({ spec: { vms: [{ name: 'web-', sourceType: 'blank' }] } }),
    want: [
      'spec.vms[0].name is "web-", but may hold only lower-case letters, digits and dashes, and must begin and end with a letter or digit',
    ],
  },
  'a port that does not exist': {
    given: aWorkspaceTemplate({ spec: { defaults: { access: { ports: [{ name: 'web', port: 70000 }] } } } }),
    want: ['spec.defaults.access.ports[0].port is 70000, but must be at most 65535'],
  },
  'a port of zero': {
    given: aWorkspaceTemplate({ spec: { defaults: { access: { ports: [{ name: 'web', port: 0 }] } } } }),
    want: ['spec.defaults.access.ports[0].port is 0, but must be at least 1'],
  },
  'a port in words': {
    given: aWorkspaceTemplate({ spec: { defaults: { access: { ports: [{ name: 'web', port: '80' as never }] } } } }),
    want: ['spec.defaults.access.ports[0].port is "80", but must be a whole number'],
  },
  'too many entries': {
    given: workspace({ networks: Array.from({ length: 21 }, (_, i) => ({ name: `n${i}`, cidr: '10.0.0.0/24' })) }),
    want: ['spec.networks has 21 entries; at most 20 are allowed'],
  },
  'too few entries': {
    given: workspace({ containerClusters: [{ name: 'app', containers: [] }] }),
    want: ['spec.containerClusters[0].containers has 0 entries; at least 1 are needed'],
  },
  'two entries of one name': {
    given: workspace({ vms: [vm, { ...vm, name: 'db' }, vm] }),
    want: ['spec.vms[2] has name "web", as spec.vms[0] has already; each may occur once'],
  },
  'one word twice in a set': {
    given: aWorkspaceTemplate({ spec: { overridable: ['home.size', 'home.size'] } }),
    want: ['spec.overridable[1] has "home.size", as spec.overridable[0] has already; each may occur once'],
  },
  'a password, which is not repeated': {
    given: aVirtualMachine({ spec: { users: [{ name: 'ada', plain_text_passwd: 12345 as never }] } }),
    want: [
      'spec.users[0].plain_text_passwd is a value that is not shown here, which YAML reads as a number although text is expected; put it in quotes',
    ],
  },
};
for (const [name, { given, want }] of Object.entries(refused)) {
  test(`a manifest with ${name}`, () => assert.deepEqual(messages(given), want));
}

test('all problems are told at once, each with its path', () => {
  const problems = validateManifest(image({ diskSize: 'big', sourceType: 'ftp', retain: 1, extra: true }, { name: '-' }));
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['metadata.name', 'spec.extra', 'spec.sourceType', 'spec.diskSize', 'spec.retain'],
  );
});

test('variables of an Ansible role may be anything', () => {
  const roles = { deploy: [{ role: 'r', variables: { list: [1, { deep: true }], text: 'x' } }] };
  assert.deepEqual(messages(workspace({ vms: [{ ...vm, ansible: { roles } }] })), []);
});

test('a field that is null counts as left out', () => {
  assert.deepEqual(messages(aVMDiskImage({ spec: { storageClass: null as never } })), []);
});

test('every rule that is judged offline is one the API server judges', () => {
  const served = JSON.stringify(kinds.map(({ spec }) => spec));
  for (const rule of offlineRules.keys()) assert.ok(served.includes(JSON.stringify(rule).slice(1, -1)), rule);
});
