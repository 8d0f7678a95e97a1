/** What a DataSync and its images look like, for tests of decisions: two items, and nothing made yet. */
import { type DataSync, type DataSyncVM, sourceHash, type VMDiskImage, type VMDiskImageStatus } from '@terrain/api';
import { aDataSync, type Override, override, stored } from '@terrain/api/testing';
import { desiredImage } from '#controllers/datasync/desired.ts';
import type { Snapshot, StoredDataSync, StoredImage } from '#controllers/datasync/observe.ts';

export const item = (name: string, change: Partial<DataSyncVM> = {}): DataSyncVM => ({
  name,
  sourceType: 'http',
  url: `https://images.example.com/${name}.qcow2`,
  ...change,
});

export const theDataSync = (change: Override<DataSync> = {}): StoredDataSync =>
  stored(
    aDataSync(override<DataSync>({ ...aDataSync(), spec: { workspaceId: 'w', vms: [item('a'), item('b')] } }, change)),
  ) as StoredDataSync;

/** The moment tests play at. */
export const nowMs = Date.parse('2026-01-15T10:00:00Z');

export function aSnapshot(change: Override<DataSync> = {}, images: readonly StoredImage[] = []): Snapshot {
  return {
    dataSync: theDataSync(change),
    images: new Map(images.map((image) => [image.metadata.name, image])),
    isNamespaceTerminating: false,
    defaultDiskSize: '32Gi',
    nowMs,
  };
}

/** The image made for an item, as the API server stores it. */
export function imageOf(name: string, change: Override<VMDiskImage> = {}, of: Override<DataSync> = {}): StoredImage {
  const vm = aSnapshot(of).dataSync.spec.vms.find((candidate) => candidate.name === name) ?? item(name);
  return stored(override(desiredImage(aSnapshot(of), vm), change)) as StoredImage;
}

/** The status of an image that can be cloned. */
const synced = (spec: VMDiskImage['spec']): VMDiskImageStatus => ({
  observedGeneration: 1,
  phase: 'Succeeded',
  message: 'machines can clone it',
  progress: '100%',
  artifact: { volumeSnapshot: 's', dataVolume: 'd', url: '', sourceHash: sourceHash(spec), syncedAt: '2026-01-15T09:00:00Z' },
});

export const syncedImage = (name: string): StoredImage => {
  const image = imageOf(name);
  return { ...image, status: synced(image.spec) };
};
