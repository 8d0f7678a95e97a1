import type * as message from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';
import { requireKnownParameters } from '../volume/capability.ts';
import { identifierOf } from '../volume/identifier.ts';
import { pageOf } from '../volume/page.ts';
import { type ControllerParts, stillContent } from './controller.ts';
import { requireText, requireVolume, snapshotMessage } from './conversion.ts';

/** CSI's controller service as far as snapshots go. */
export function snapshotMethods({ store, host, busy }: ControllerParts) {
  return {
    async createSnapshot(request: message.CreateSnapshotRequest): Promise<{ snapshot: message.SnapshotMessage }> {
      const { name, sourceVolumeId, parameters } = request;
      const id = identifierOf('snapshot', name);
      requireText(sourceVolumeId, 'The id of the volume to take a snapshot of');
      requireKnownParameters(parameters);
      using _snapshot = busy.alone(id, `taking snapshot ${name}`);
      const existing = await store.snapshot(id);
      if (existing !== undefined && existing.sourceVolume !== sourceVolumeId) {
        throw new Refusal('AlreadyExists', `A snapshot called ${name} exists, but it is of volume ${existing.sourceVolume}.`);
      }
      if (existing !== undefined) return { snapshot: snapshotMessage(existing) };

      using _volume = busy.reading(sourceVolumeId, `taking snapshot ${name}`);
      const volume = await requireVolume(store, sourceVolumeId);
      const record = { name, mode: volume.mode, sourceVolume: volume.id, createdAt: new Date().toISOString() };
      const snapshot = await store.createSnapshot(id, record, await stillContent(host, volume));
      return { snapshot: snapshotMessage(snapshot) };
    },

    async deleteSnapshot({ snapshotId }: { readonly snapshotId: string }): Promise<object> {
      requireText(snapshotId, 'The id of the snapshot to delete');
      using _snapshot = busy.alone(snapshotId, `deleting snapshot ${snapshotId}`);
      if ((await store.snapshot(snapshotId)) !== undefined) await store.delete('snapshot', snapshotId);
      return {};
    },

    async listSnapshots(request: message.ListSnapshotsRequest) {
      const { snapshotId, sourceVolumeId } = request;
      const all = (await store.snapshots()).filter(
        (snapshot) =>
          (snapshotId === '' || snapshot.id === snapshotId) &&
          (sourceVolumeId === '' || snapshot.sourceVolume === sourceVolumeId),
      );
      const { items, nextToken } = pageOf('snapshot', all, request);
      return { entries: items.map((snapshot) => ({ snapshot: snapshotMessage(snapshot) })), nextToken };
    },
  };
}
