/** From caches to a Snapshot. Makes no requests. */
import { labels, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { controllerUid, type Informer, type KubeObject } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
import { type DataVolume, isUnfinished } from '#platform/cdi.ts';
import type { Claim, StorageClass } from '#platform/core.ts';
import type { VolumeSnapshot, VolumeSnapshotClass } from '#platform/snapshot.ts';
import { volumeOf } from './facts.ts';
import type { Memories } from './memory.ts';
import type { Needs } from './needs.ts';
import { countReferences, imageKeyOf } from './references.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';

/** Everything an image is judged from, by kind. */
interface KindsOfImages {
  readonly images: VMDiskImage;
  readonly dataVolumes: DataVolume;
  readonly snapshots: VolumeSnapshot;
  readonly claims: Claim;
  readonly storageClasses: StorageClass;
  readonly snapshotClasses: VolumeSnapshotClass;
  readonly machines: VirtualMachine;
  readonly namespaces: KubeObject;
}

/** The caches decisions read. */
export type ImageCaches = { readonly [Kind in keyof KindsOfImages]: Pick<Informer<KindsOfImages[Kind]>, 'store' | 'served'> };
/** The informers behind them. */
export type ImageInformers = { readonly [Kind in keyof KindsOfImages]: Informer<KindsOfImages[Kind]> };

/** Names of the indexes. */
const byOwner = 'owner';
const byClonedSnapshot = 'clonedSnapshot';
const byImage = 'image';
export const byVolume = 'volume';
export const byNamespace = 'namespace';
export const inUseByNamespace = 'inUse';

const ownersOf = (object: KubeObject): readonly string[] => {
  const uid = controllerUid(object);
  return uid === undefined ? [] : [uid];
};

const clonedSnapshotOf = (dataVolume: DataVolume): readonly string[] => {
  const { snapshot } = dataVolume.spec.source ?? {};
  return snapshot === undefined || !isUnfinished(dataVolume) ? [] : [`${snapshot.namespace}/${snapshot.name}`];
};

const referredImage = (machine: VirtualMachine): readonly string[] => [imageKeyOf(machine)];

const volumesOf = ({ metadata, status }: VMDiskImage): readonly string[] =>
  [...new Set([status?.artifact?.dataVolume, status?.attempt?.dataVolume])].flatMap((name) =>
    name === undefined ? [] : [`${metadata.namespace}/${name}`],
  );

const namespaceOf = ({ metadata }: VMDiskImage): readonly string[] => [metadata.namespace ?? ''];

const namespaceInUse = ({ metadata, status }: VMDiskImage): readonly string[] =>
  (status?.references ?? 0) > 0 ? [metadata.namespace ?? ''] : [];

type Indexed = {
  readonly [Kind in 'images' | 'dataVolumes' | 'snapshots' | 'machines']: Pick<Informer<KindsOfImages[Kind]>, 'addIndex'>;
};

export function addIndexes({ images, dataVolumes, snapshots, machines }: Indexed): void {
  images.addIndex(byVolume, volumesOf);
  images.addIndex(byNamespace, namespaceOf);
  images.addIndex(inUseByNamespace, namespaceInUse);
  dataVolumes.addIndex(byOwner, ownersOf);
  dataVolumes.addIndex(byClonedSnapshot, clonedSnapshotOf);
  snapshots.addIndex(byOwner, ownersOf);
  machines.addIndex(byImage, referredImage);
}

export interface ObserveSources {
  readonly informers: ImageCaches;
  readonly keeper: LedgerKeeper;
  readonly memories: Memories;
  readonly needs: Needs;
  readonly serverNow: () => number;
}

/** Everything known about an image. `image` is the version to judge; by default the cached one. */
export function observe(sources: ObserveSources, key: string, image = cachedImage(sources, key)): Snapshot | undefined {
  if (image === undefined) return undefined;
  const { informers, keeper, memories, needs, serverNow } = sources;
  const { uid, namespace } = image.metadata;
  const dataVolumes = informers.dataVolumes.store.byIndex(byOwner, uid);
  const snapshots = informers.snapshots.store.byIndex(byOwner, uid);
  const nowMs = serverNow();
  const snapshot: Omit<Snapshot, 'memory'> = {
    image,
    nowMs,
    policy: keeper.policy,
    slot:
      keeper.ledger === undefined
        ? { ledger: 'unreadable', message: keeper.trouble }
        : { ledger: 'readable', entry: keeper.entryOf(uid), limit: keeper.ledger.limit },
    dataVolumes,
    claims: claimsOf(informers, image, dataVolumes),
    snapshots,
    cloning: new Set(
      snapshots
        .map(({ metadata }) => metadata.name ?? '')
        .filter((name) => informers.dataVolumes.store.countByIndex(byClonedSnapshot, `${namespace}/${name}`) > 0),
    ),
    platform: {
      hasDataVolumes: informers.dataVolumes.served === true,
      hasSnapshots: informers.snapshots.served === true && informers.snapshotClasses.served === true,
      storageClasses: [...informers.storageClasses.store.values()],
      snapshotClasses: [...informers.snapshotClasses.store.values()],
    },
    ...needs.of(image),
    references: countReferences(informers.machines.store.byIndex(byImage, key), informers.machines.store.resourceVersion ?? '0'),
    namespace: namespaceFacts(informers, namespace),
  };
  const { attempt } = image.status ?? {};
  const dataVolume = attempt === undefined ? undefined : volumeOf({ ...snapshot, memory: {} }, attempt);
  if (attempt !== undefined && dataVolume !== undefined) memories.see(uid, attempt, dataVolume, nowMs, image.status?.progress);
  return { ...snapshot, memory: memories.of(uid, attempt?.number) };
}

function cachedImage({ informers }: ObserveSources, key: string): StoredImage | undefined {
  return informers.images.store.get(key) as StoredImage | undefined;
}

/** Claims of the DataVolumes there are, and of the one the artifact was cut from, which may be all that is left of it. */
function claimsOf(
  { claims }: ImageCaches,
  { metadata, status }: StoredImage,
  dataVolumes: readonly DataVolume[],
): ReadonlyMap<string, Claim> {
  const names = new Set(dataVolumes.map((dataVolume) => dataVolume.metadata.name ?? ''));
  if (status?.artifact !== undefined) names.add(status.artifact.dataVolume);
  const found = new Map<string, Claim>();
  for (const name of names) {
    const claim = claims.store.get(`${metadata.namespace}/${name}`);
    if (claim !== undefined) found.set(name, claim);
  }
  return found;
}

function namespaceFacts({ namespaces }: ImageCaches, name: string): Snapshot['namespace'] {
  const metadata = namespaces.store.get(name)?.metadata;
  return {
    isTerminating: metadata?.deletionTimestamp !== undefined,
    isMarkedInUse: metadata?.labels?.[labels.imagesInUse] !== undefined,
    version: metadata?.resourceVersion,
  };
}
