/** The operator on an API server in this process, in a world where an image has been synced. */
import { crdOf, kinds, ledgerManifest, sourceHash, volumeSnapshotName } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { Connection, type KubeObject, Resource, type ResourceType, silentLogger, systemClock } from '@terrain/runtime';
import { ApiFake, type ApiFakeOptions, type FaultPlan, FaultProxy } from '@terrain/runtime/testing';
import { imageType, machineType } from '#controllers/vmdiskimage/api-hands.ts';
import { desiredDataVolume, desiredSnapshot } from '#controllers/vmdiskimage/desired.ts';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import { createOperator } from '#operator.ts';
import { dataVolumeType } from '#platform/cdi.ts';
import { claimType, configMapType, podType, secretType, storageClassType } from '#platform/core.ts';
import { volumeSnapshotClassType, volumeSnapshotType } from '#platform/snapshot.ts';
import { aSnapshotClass, aStorageClass } from '#testing/image-world.ts';

export const eventType: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };
const served = [
  { type: eventType, kind: 'Event' },
  { type: dataVolumeType, kind: 'DataVolume' },
  { type: volumeSnapshotType, kind: 'VolumeSnapshot' },
  { type: volumeSnapshotClassType, kind: 'VolumeSnapshotClass' },
  { type: storageClassType, kind: 'StorageClass' },
  { type: claimType, kind: 'PersistentVolumeClaim' },
  { type: podType, kind: 'Pod' },
];

interface World {
  readonly fake: ApiFake;
  readonly images: Resource<KubeObject>;
  readonly volumes: Resource<KubeObject>;
  readonly snapshots: Resource<KubeObject>;
  readonly configMaps: Resource<KubeObject>;
  readonly secrets: Resource<KubeObject>;
  readonly classes: Resource<KubeObject>;
  readonly machines: Resource<KubeObject>;
  /** Lets other things go wrong between the operator and the API server. */
  readonly follow: (plan: FaultPlan) => void;
  /** What stands between them. */
  readonly proxy: FaultProxy;
}

/** Plays it until the work is done. */
export async function withOperator(
  policy: Record<string, string>,
  unreferencedSince: string,
  work: (world: World) => Promise<void>,
  { admit, plan = { rules: [] } }: Pick<ApiFakeOptions, 'admit'> & { readonly plan?: FaultPlan } = {},
): Promise<void> {
  const fake = await ApiFake.start({ kinds: served, ...(admit === undefined ? {} : { admit }) });
  const proxy = await FaultProxy.start({ upstream: fake.credentials, plan });
  const connection = new Connection(fake.credentials, { userAgent: 'test' });
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  try {
    for (const kind of kinds) fake.seed(crdOf(kind) as never);
    for (const name of ['vmdi-farm', 'sync-operator']) fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fake.seed(ledgerManifest() as never);
    fake.seed({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'sync-operator-policy', namespace: 'sync-operator' },
      data: policy,
    } as never);
    for (const object of [aStorageClass(), aSnapshotClass()]) fake.seed(object as never);
    const images = new Resource<KubeObject>(connection, imageType);
    await seedSynced(fake, images, unreferencedSince);
    const operator = createOperator({
      credentials: proxy.credentials,
      namespace: 'sync-operator',
      hasLeaderElection: false,
      log: silentLogger,
    });
    running = operator.run(stop.signal);
    const volumes = new Resource<KubeObject>(connection, dataVolumeType);
    const snapshots = new Resource<KubeObject>(connection, volumeSnapshotType);
    await work({
      fake,
      images,
      volumes,
      snapshots,
      configMaps: new Resource<KubeObject>(connection, configMapType),
      secrets: new Resource<KubeObject>(connection, secretType),
      classes: new Resource<KubeObject>(connection, storageClassType),
      machines: new Resource<KubeObject>(connection, machineType),
      follow: (next) => proxy.follow(next),
      proxy,
    });
  } finally {
    stop.abort();
    await running.finally(async () => {
      await connection.close();
      await proxy.close();
      await fake.close();
    });
  }
}

const made = { labels: { 'pelotech.ot/created-by': 'test' }, finalizers: ['pelotech.ot/cleanup'] };
export const at = { name: 'debian', namespace: 'vmdi-farm' };
export const longAgo = '2026-01-01T00:00:00Z';

async function seedSynced(fake: ApiFake, images: Resource<KubeObject>, unreferencedSince: string): Promise<void> {
  const image = (await images.create(aVMDiskImage({ metadata: made }) as KubeObject)) as unknown as StoredImage;
  const { name, uid } = image.metadata;
  const hash = sourceHash(image.spec);
  const volume = desiredDataVolume(image, { number: 1, sourceHash: hash });
  const volumeSnapshot = volumeSnapshotName({ name, uid, attempt: 1, cut: 1 });
  fake.seed({ ...volume, status: { phase: 'Succeeded' } } as never);
  const cut = desiredSnapshot(image, volumeSnapshot, volume);
  fake.seed({ ...cut, status: { readyToUse: true, boundVolumeSnapshotContentName: 'c' } } as never);
  const artifact = { volumeSnapshot, dataVolume: volume.metadata.name ?? '', sourceHash: hash, syncedAt: '2026-01-01T00:00:00Z' };
  const attempt = { number: 1, sourceHash: hash, startedAt: '2026-01-01T00:00:00Z', dataVolume: volume.metadata.name ?? '' };
  const status = {
    artifact,
    attempt,
    retry: { sourceHash: hash, lastAttempt: 1 },
    references: 0,
    unreferencedSince,
  };
  await images.mergePatch({ ...at, subresource: 'status' }, { status });
}

export const ownedBy = (owner: KubeObject | undefined) => {
  if (owner === undefined) return {};
  const { apiVersion, kind, metadata } = owner;
  return { ownerReferences: [{ apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true }] };
};

/** Waits for something of this world, which is never far away. */
export async function until(what: string, isMet: () => boolean): Promise<void> {
  const end = systemClock.monotonic() + 10_000;
  while (!isMet()) {
    if (systemClock.monotonic() > end) throw new Error(`there is still no ${what}`);
    await systemClock.sleep(5);
  }
}
