import type { ContentSource, SnapshotMessage, VolumeMessage } from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';
import type { Snapshot, Store, Volume } from '../store/store.ts';
import type { Source } from '../volume/record.ts';

export function volumeMessage({ id, sizeBytes, source }: Volume): VolumeMessage {
  return { volumeId: id, capacityBytes: sizeBytes, contentSource: contentSource(source) };
}

export function snapshotMessage({ id, sizeBytes, sourceVolume, createdAt }: Snapshot): SnapshotMessage {
  const milliseconds = Date.parse(createdAt);
  return {
    snapshotId: id,
    sourceVolumeId: sourceVolume,
    sizeBytes,
    creationTime: { seconds: Math.floor(milliseconds / 1000), nanos: (milliseconds % 1000) * 1_000_000 },
    readyToUse: true,
  };
}

/** What a new volume is to contain; null for nothing. */
export function sourceOf(content: ContentSource | null): Source | null {
  if (content?.snapshot) return { snapshot: content.snapshot.snapshotId };
  if (content?.volume) return { volume: content.volume.volumeId };
  if (content) throw new Refusal('InvalidArgument', 'The content source names neither a snapshot nor a volume.');
  return null;
}

function contentSource(source: Source | null): ContentSource | null {
  if (source === null) return null;
  return 'snapshot' in source ? { snapshot: { snapshotId: source.snapshot } } : { volume: { volumeId: source.volume } };
}

export async function requireVolume(store: Store, id: string): Promise<Volume> {
  if (id === '') throw new Refusal('InvalidArgument', 'The id of the volume is missing.');
  const volume = await store.volume(id);
  if (volume === undefined) throw new Refusal('NotFound', `There is no volume ${id}: it was deleted, or is of another driver.`);
  return volume;
}

export function requireText(text: string, what: string): void {
  if (text === '') throw new Refusal('InvalidArgument', `${what} is missing.`);
}
