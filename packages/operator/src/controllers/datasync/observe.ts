/** From caches to a Snapshot. Makes no requests. */
import { type DataSync, dataSyncImageName, labels, labelValue, type VMDiskImage } from '@terrain/api';
import { controllerUid, type Informer, type KubeObject, keyOf } from '@terrain/runtime';

type Stored<T extends { readonly metadata: object }> = T & {
  readonly metadata: T['metadata'] & { readonly namespace: string; readonly uid: string; readonly resourceVersion: string };
};
/** Objects as the API server stores them. */
export type StoredDataSync = Stored<DataSync>;
export type StoredImage = Stored<VMDiskImage>;

/** All a decision about one DataSync rests on. */
export type Snapshot = {
  readonly dataSync: StoredDataSync;
  /** By name: those its items ask for, whoever they belong to; those it owns; and those it left behind. */
  readonly images: ReadonlyMap<string, StoredImage>;
  readonly isNamespaceTerminating: boolean;
  /** Of the sync policy in force. */
  readonly defaultDiskSize: string;
  /** The API server's time. */
  readonly nowMs: number;
};

export interface DataSyncInformers {
  readonly dataSyncs: Informer<DataSync>;
  readonly images: Informer<VMDiskImage>;
  readonly namespaces: Informer<KubeObject>;
}

export interface ObserveSources {
  readonly informers: DataSyncInformers;
  readonly defaultDiskSize: () => string;
  readonly serverNow: () => number;
}

const byController = 'datasync/controller';
const byOrigin = 'datasync/origin';
const byWantedImage = 'datasync/wanted-image';
const byLabel = 'datasync/label';
const byNamespace = 'datasync/namespace';

const controllerOf = (image: VMDiskImage): string[] => [controllerUid(image) ?? ''];
const originOf = ({ metadata }: VMDiskImage): string[] => {
  const origin = metadata.labels?.[labels.dataSync];
  return origin === undefined ? [] : [`${metadata.namespace}/${origin}`];
};
const wantedImagesOf = ({ metadata, spec }: DataSync): string[] =>
  spec.vms.map((vm) => `${metadata.namespace}/${dataSyncImageName(metadata.name, vm.name)}`);
const labelOf = ({ metadata }: DataSync): string[] => [`${metadata.namespace}/${labelValue(metadata.name)}`];
const namespaceOf = ({ metadata }: DataSync): string[] => [metadata.namespace ?? ''];

export function addIndexes({ dataSyncs, images }: DataSyncInformers): void {
  images.addIndex(byController, controllerOf);
  images.addIndex(byOrigin, originOf);
  dataSyncs.addIndex(byWantedImage, wantedImagesOf);
  dataSyncs.addIndex(byLabel, labelOf);
  dataSyncs.addIndex(byNamespace, namespaceOf);
}

/** What is known about a DataSync; undefined when it is gone. */
export function observe({ informers, defaultDiskSize, serverNow }: ObserveSources, key: string): Snapshot | undefined {
  const dataSync = informers.dataSyncs.store.get(key) as StoredDataSync | undefined;
  if (dataSync === undefined) return undefined;
  const { namespace, uid } = dataSync.metadata;
  const { store } = informers.images;
  const images = new Map<string, StoredImage>();
  for (const imageKey of wantedImagesOf(dataSync)) {
    const image = store.get(imageKey) as StoredImage | undefined;
    if (image !== undefined) images.set(image.metadata.name, image);
  }
  for (const origin of labelOf(dataSync))
    for (const image of store.byIndex(byOrigin, origin)) images.set(image.metadata.name, image as StoredImage);
  for (const image of store.byIndex(byController, uid)) images.set(image.metadata.name, image as StoredImage);
  return {
    dataSync,
    images,
    isNamespaceTerminating: informers.namespaces.store.get(namespace)?.metadata.deletionTimestamp !== undefined,
    defaultDiskSize: defaultDiskSize(),
    nowMs: serverNow(),
  };
}

/** The DataSyncs an image concerns: its owner, those with an item of its name, and the one that left it behind. */
export function dataSyncsOf({ dataSyncs }: DataSyncInformers, image: VMDiskImage): Set<string> {
  const { namespace, ownerReferences = [] } = image.metadata;
  const owner = ownerReferences.find(({ controller, kind }) => controller === true && kind === 'DataSync');
  return new Set([
    ...(owner === undefined ? [] : [`${namespace}/${owner.name}`]),
    ...dataSyncs.store.keysByIndex(byWantedImage, keyOf(image)),
    ...originOf(image).flatMap((origin) => dataSyncs.store.keysByIndex(byLabel, origin)),
  ]);
}

/** Those a namespace on its way out concerns: the ones that a pause would hold back. */
export function goingIn({ dataSyncs }: DataSyncInformers, { metadata }: KubeObject): string[] {
  if (metadata.deletionTimestamp === undefined) return [];
  return dataSyncs.store
    .byIndex(byNamespace, metadata.name ?? '')
    .filter((dataSync) => dataSync.metadata.deletionTimestamp !== undefined)
    .map(keyOf);
}
