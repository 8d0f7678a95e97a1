import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type EmbeddedCluster, ensureBinaries, startCluster, startStorage } from '@terrain/embedded';
import { type KubeObject, Resource, type ResourceType, waitForObject } from '@terrain/runtime';
import { storagePrograms } from '#csi/cluster/rights.ts';
import { until } from '#process/until.ts';

const claims: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumeclaims', namespaced: true };
const volumes: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumes', namespaced: false };
const snapshots: ResourceType = { group: 'snapshot.storage.k8s.io', version: 'v1', plural: 'volumesnapshots', namespaced: true };
const namespace = 'default';
const timeoutMs = 120_000;

interface Claim extends KubeObject {
  readonly spec: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
}
interface Volume extends KubeObject {
  readonly spec: { readonly capacity: { readonly storage: string }; readonly csi: { readonly volumeHandle: string } };
}
interface Snapshot extends KubeObject {
  readonly status?: { readonly readyToUse?: boolean; readonly restoreSize?: string };
}

let directory: string;
let root: string;
let cluster: EmbeddedCluster;

before(
  async () => {
    directory = mkdtempSync(join(tmpdir(), 'terrain-csi-'));
    root = join(directory, 'volumes');
    const binaries = await ensureBinaries(['storage'], { binaries: process.env.TERRAIN_BINARIES });
    cluster = await startCluster({ home: join(directory, 'home'), nodes: 0, binaries: process.env.TERRAIN_BINARIES });
    await startStorage(cluster, { binaries, root, node: 'node1' });
  },
  { timeout: 240_000 },
);

after(async () => {
  await cluster?.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

async function createClaim(name: string, storage: string, more: object = {}): Promise<void> {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Block', resources: { requests: { storage } }, ...more },
  };
  await new Resource<KubeObject>(cluster.connection(), claims).create(claim);
}

/** The volume that a claim got, and the file that holds its bytes. */
async function boundVolume(name: string): Promise<{ readonly volume: Volume; readonly image: string }> {
  const at = { name, namespace };
  const claim = await waitForObject<Claim>(
    cluster.connection(),
    claims,
    at,
    (object) => (object?.status?.phase === 'Bound' ? undefined : 'is not bound'),
    { timeoutMs },
  );
  const volume = await new Resource<Volume>(cluster.connection(), volumes).get({ name: claim!.spec.volumeName! });
  return { volume, image: join(root, 'volumes', volume.spec.csi.volumeHandle, 'image') };
}

test('a claim, its snapshot and what is restored and cloned from it: real bytes, nothing left afterwards', {
  timeout: 300_000,
}, async () => {
  const connection = cluster.connection();
  await createClaim('source', '32Mi');
  const source = await boundVolume('source');
  const before = Buffer.alloc(32 * 1024 ** 2, 'terrain');
  writeFileSync(source.image, before);

  const snapshot = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { name: 'cut', namespace },
    spec: { source: { persistentVolumeClaimName: 'source' } },
  };
  await new Resource<KubeObject>(connection, snapshots).create(snapshot);
  const ready = await waitForObject<Snapshot>(
    connection,
    snapshots,
    { name: 'cut', namespace },
    (object) => (object?.status?.readyToUse ? undefined : 'is not ready to use'),
    { timeoutMs },
  );
  assert.equal(ready!.status?.restoreSize, '32Mi');
  const after = Buffer.alloc(before.length, 'changed');
  writeFileSync(source.image, after);

  const fromSnapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'cut' };
  await createClaim('restored', '48Mi', { dataSource: fromSnapshot });
  await createClaim('cloned', '32Mi', { dataSource: { kind: 'PersistentVolumeClaim', name: 'source' } });
  const restored = readFileSync((await boundVolume('restored')).image);
  assert.ok(restored.subarray(0, before.length).equals(before), 'the bytes of the moment of the snapshot');
  assert.equal(restored.length, 48 * 1024 ** 2);
  assert.ok(readFileSync((await boundVolume('cloned')).image).equals(after), 'the bytes of the moment of the clone');

  const resource = new Resource<KubeObject>(connection, claims);
  await connection.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/persistentvolumeclaims/cloned`,
    contentType: 'application/merge-patch+json',
    body: { spec: { resources: { requests: { storage: '64Mi' } } } },
  });
  const { volume } = await boundVolume('cloned');
  await waitForObject<Volume>(
    connection,
    volumes,
    { name: volume.metadata.name! },
    (object) => (object?.spec.capacity.storage === '64Mi' ? undefined : `has ${object?.spec.capacity.storage}`),
    { timeoutMs },
  );

  await new Resource<KubeObject>(connection, snapshots).delete({ name: 'cut', namespace });
  for (const name of ['source', 'restored', 'cloned']) await resource.delete({ name, namespace });
  const kept = () => ['volumes', 'snapshots', 'work'].flatMap((folder) => readdirSync(join(root, folder)));
  await until('removing what was deleted', async () => (kept().length === 0 ? true : undefined), {
    timeoutMs,
    missing: () => kept().join(', '),
  });
});

test('a driver that is killed comes back, and so do the programs that lost it', { timeout: 300_000 }, async () => {
  await createClaim('before', '16Mi');
  const { image } = await boundVolume('before');
  const driver = cluster.processes().find(({ name }) => name === 'csi-driver')!;
  process.kill(driver.pid, 'SIGKILL');
  await createClaim('after', '16Mi', { dataSource: { kind: 'PersistentVolumeClaim', name: 'before' } });
  const copy = await boundVolume('after');
  assert.ok(readFileSync(copy.image).equals(readFileSync(image)));
  assert.notEqual(cluster.processes().find(({ name }) => name === 'csi-driver')?.pid, driver.pid);
});

test('the rights of the programs suffice: none of them was ever refused', () => {
  for (const program of storagePrograms) {
    const words = readFileSync(join(cluster.home, 'logs', `${program}.log`), 'utf8');
    assert.doesNotMatch(words, /forbidden|cannot (list|get|watch|create|update|patch|delete) resource/i, program);
  }
});
