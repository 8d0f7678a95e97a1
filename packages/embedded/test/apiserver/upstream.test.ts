import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { type ApiError, Discovery, type KubeObject, Resource } from '@terrain/runtime';

let cluster: TestCluster;
let namespace: string;
let applied: number;

before(
  async () => {
    const upstream = await ensureUpstream();
    cluster = await testCluster();
    applied = await installDefinitions(cluster.connection(), upstream.definitions);
    namespace = await cluster.namespace('upstream');
  },
  { timeout: 180_000 },
);

async function create(object: {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  [field: string]: unknown;
}): Promise<KubeObject> {
  const type = await new Discovery(cluster.connection()).find(object);
  assert.ok(type !== undefined, `${object.kind} is served`);
  const resource = new Resource<KubeObject>(cluster.connection(), type);
  return resource.create({ ...object, metadata: { ...object.metadata, ...(type.namespaced ? { namespace } : {}) } });
}

test('all 39 definitions are applied once, and found unchanged the second time', async () => {
  const { definitions } = await ensureUpstream();
  assert.equal(definitions.length, 39);
  assert.ok(applied === 39 || applied === 0, 'another file of this process may have been first');
  assert.equal(await installDefinitions(cluster.connection(), definitions), 0);
});

test('a definition somebody changed is put right again', async () => {
  const { definitions } = await ensureUpstream();
  const result = await cluster.kubectl(
    'annotate',
    'crd',
    'datavolumes.cdi.kubevirt.io',
    '--overwrite',
    'embedded.terrain.dev/digest=other',
  );
  assert.equal(result.code, 0, result.stderr);
  assert.equal(await installDefinitions(cluster.connection(), definitions), 1);
});

test('every definition is established with its names accepted, and every schema is structural', async () => {
  const { definitions } = await ensureUpstream();
  const conditions = '{range .status.conditions[*]}{.type}={.status} {end}';
  const result = await cluster.kubectl(
    'get',
    'crd',
    '-o',
    `jsonpath={range .items[*]}{.metadata.name} ${conditions}{"\\n"}{end}`,
  );
  const lines = result.stdout.split('\n');
  for (const { metadata } of definitions) {
    const found = lines.find((line) => line.startsWith(`${metadata.name} `)) ?? '';
    assert.match(found, /NamesAccepted=True/, metadata.name!);
    assert.match(found, /Established=True/, metadata.name!);
    assert.doesNotMatch(found, /NonStructuralSchema/, metadata.name!);
  }
});

const dataVolume = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'disk' },
  spec: { source: { http: { url: 'https://example.com/disk.img' } }, storage: { resources: { requests: { storage: '1Gi' } } } },
};
const virtualMachine = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'machine' },
  spec: {
    runStrategy: 'Always',
    template: {
      spec: {
        domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }, memory: { guest: '1Gi' } },
        volumes: [{ name: 'root', dataVolume: { name: 'disk' } }],
      },
    },
  },
};
const network = {
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'lan' },
  spec: { config: '{"cniVersion":"1.0.0","type":"bridge"}' },
};
const snapshot = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { name: 'snap' },
  spec: { source: { persistentVolumeClaimName: 'disk' } },
};
const snapshotClass = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'class' },
  driver: 'example.com',
  deletionPolicy: 'Delete',
};

for (const object of [dataVolume, virtualMachine, network, snapshot, snapshotClass]) {
  test(`a ${object.kind} is accepted`, async () => {
    assert.equal((await create(object)).kind, object.kind);
  });
}

const refused: Record<string, { object: Parameters<typeof create>[0]; want: RegExp }> = {
  'a DataVolume whose source is text': {
    object: { ...dataVolume, metadata: { name: 'x' }, spec: { source: 'https://example.com' } },
    want: /spec\.source: Invalid value: "string"/,
  },
  'a VirtualMachine without a template': {
    object: { ...virtualMachine, metadata: { name: 'x' }, spec: { runStrategy: 'Always' } },
    want: /spec\.template: Required value/,
  },
  'a NetworkAttachmentDefinition whose configuration is no text': {
    object: { ...network, metadata: { name: 'x' }, spec: { config: { type: 'bridge' } } },
    want: /spec\.config: Invalid value: "object"/,
  },
  'a VolumeSnapshot of nothing': {
    object: { ...snapshot, metadata: { name: 'x' }, spec: {} },
    want: /spec\.source: Required value/,
  },
  'a VolumeSnapshot of two things': {
    object: {
      ...snapshot,
      metadata: { name: 'x' },
      spec: { source: { persistentVolumeClaimName: 'a', volumeSnapshotContentName: 'b' } },
    },
    want: /exactly one of/i,
  },
};
for (const [name, { object, want }] of Object.entries(refused)) {
  test(`${name} is refused`, async () => {
    await assert.rejects(create(object), (error: ApiError) => error.code === 422 && want.test(error.message));
  });
}

test('machines have short names, columns and a status of their own', async () => {
  const listed = await cluster.kubectl('get', 'vm', '-n', namespace);
  assert.match(listed.stdout, /^NAME\s+AGE\s+STATUS\s+READY\nmachine\s/);
  const patched = await cluster.kubectl(
    'patch',
    'vm',
    'machine',
    '-n',
    namespace,
    '--subresource=status',
    '--type=merge',
    '-p',
    '{"status":{"printableStatus":"Running"}}',
  );
  assert.equal(patched.code, 0, patched.stderr);
  assert.match((await cluster.kubectl('get', 'vm', 'machine', '-n', namespace)).stdout, /Running/);
});
