import type { Busy } from '../busy.ts';
import { attachmentOf } from '../node/attachment.ts';
import type { Host } from '../node/host.ts';
import type * as message from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';
import type { Content, Store, Volume } from '../store/store.ts';
import { nounOf, requireKnownParameters, requireMode, type VolumeMode, whyUnsuitable } from '../volume/capability.ts';
import { identifierOf } from '../volume/identifier.ts';
import { pageOf } from '../volume/page.ts';
import { isSameSource, type Source } from '../volume/record.ts';
import { chooseSize, isInRange, smallestSize } from '../volume/size.ts';
import { requireVolume, sourceOf, volumeMessage } from './conversion.ts';

export interface ControllerParts {
  readonly store: Store;
  readonly host: Host;
  readonly busy: Busy;
}

/** CSI's controller service as far as volumes go; snapshots are next door. */
export function volumeMethods({ store, host, busy }: ControllerParts) {
  return {
    async createVolume(request: message.CreateVolumeRequest): Promise<{ volume: message.VolumeMessage }> {
      const id = identifierOf('volume', request.name);
      const mode = requireMode(request.volumeCapabilities);
      requireKnownParameters(request.parameters);
      const source = sourceOf(request.volumeContentSource);
      using _volume = busy.alone(id, `creating volume ${request.name}`);
      const existing = await store.volume(id);
      if (existing !== undefined) return { volume: volumeMessage(requireSame(existing, request, mode, source)) };

      using _source = source === null ? undefined : busy.reading(idOf(source), `copying to volume ${request.name}`);
      const origin = source === null ? undefined : await requireOrigin(source, mode);
      const { totalBytes } = await store.capacity();
      const size = chooseSize(request.capacityRange, {
        most: totalBytes,
        ...(origin === undefined ? {} : { least: origin.sizeBytes }),
      });
      const volume = await store.createVolume(id, { name: request.name, mode, source }, size, origin);
      return { volume: volumeMessage(volume) };
    },

    async deleteVolume({ volumeId }: { readonly volumeId: string }): Promise<object> {
      if (volumeId === '') throw new Refusal('InvalidArgument', 'The id of the volume to delete is missing.');
      using _volume = busy.alone(volumeId, `deleting volume ${volumeId}`);
      const volume = await store.volume(volumeId);
      if (volume === undefined) return {};
      const { devices, mounts } = await attachmentOf(host, volume);
      if (mounts.length > 0) {
        throw new Refusal(
          'FailedPrecondition',
          `Volume ${volumeId} is mounted at ${mounts.map(({ path }) => path).join(' and ')}: unpublish and unstage it first.`,
        );
      }
      for (const device of devices) await host.detach(device);
      await store.delete('volume', volumeId);
      return {};
    },

    async controllerExpandVolume({ volumeId, capacityRange }: message.ExpandVolumeRequest) {
      if (capacityRange === null) throw new Refusal('InvalidArgument', `How large volume ${volumeId} is to become is missing.`);
      using _volume = busy.alone(volumeId, `expanding volume ${volumeId}`);
      const volume = await requireVolume(store, volumeId);
      const nodeExpansionRequired = true;
      if (isInRange(volume.sizeBytes, capacityRange)) return { capacityBytes: volume.sizeBytes, nodeExpansionRequired };
      const { totalBytes } = await store.capacity();
      const size = chooseSize(capacityRange, { least: volume.sizeBytes, most: totalBytes });
      await store.growVolume(volume, size);
      return { capacityBytes: size, nodeExpansionRequired };
    },

    async validateVolumeCapabilities(request: message.ValidateCapabilitiesRequest) {
      const { volumeCapabilities, volumeContext, parameters } = request;
      const volume = await requireVolume(store, request.volumeId);
      if (volumeCapabilities.length === 0)
        throw new Refusal('InvalidArgument', 'No volume capability is given, so there is nothing to validate.');
      const problem = whyUnsuitable(volume.mode, volumeCapabilities);
      return problem === undefined
        ? { confirmed: { volumeCapabilities, volumeContext, parameters }, message: '' }
        : { confirmed: null, message: problem };
    },

    async listVolumes(request: message.ListRequest) {
      const { items, nextToken } = pageOf('volume', await store.volumes(), request);
      return { entries: items.map((volume) => ({ volume: volumeMessage(volume) })), nextToken };
    },

    /** Volumes take up what is written to them, so what is free now is what a new one could hold. */
    async getCapacity({ volumeCapabilities }: message.GetCapacityRequest) {
      if (volumeCapabilities.length > 0) requireMode(volumeCapabilities);
      const { freeBytes, totalBytes } = await store.capacity();
      return {
        availableCapacity: freeBytes,
        maximumVolumeSize: { value: totalBytes },
        minimumVolumeSize: { value: smallestSize },
      };
    },
  };

  async function requireOrigin(source: Source, mode: VolumeMode): Promise<Content & { readonly sizeBytes: number }> {
    const origin = 'snapshot' in source ? await store.snapshot(source.snapshot) : await store.volume(source.volume);
    if (origin === undefined) {
      throw new Refusal('NotFound', `The source ${idOf(source)} does not exist: it was deleted, or is of another driver.`);
    }
    if (origin.mode !== mode) {
      throw new Refusal(
        'InvalidArgument',
        `The source ${origin.id} is ${nounOf(origin.mode)} and cannot become ${nounOf(mode)}: ask for the same volume mode.`,
      );
    }
    return 'snapshot' in source ? origin : { ...origin, ...(await stillContent(host, origin as Volume)) };
  }
}

/** The content of a volume at one moment, even while it is in use. */
export async function stillContent(host: Host, volume: Volume): Promise<Content> {
  const { devices, mounts } = await attachmentOf(host, volume);
  if (volume.mode === 'filesystem') return { image: volume.image, frozenAt: mounts[0]?.path };
  // Nobody can stop the writers of a raw device; what they have handed over is in the copy.
  for (const device of devices) await host.flush(device);
  return { image: volume.image };
}

/** The repeated call of one that succeeded, unless it asks for something else under the same name. */
function requireSame(existing: Volume, request: message.CreateVolumeRequest, mode: VolumeMode, source: Source | null): Volume {
  const differences = [
    isInRange(existing.sizeBytes, request.capacityRange) ? [] : [`it has ${existing.sizeBytes} bytes`],
    existing.mode === mode ? [] : [`it is ${nounOf(existing.mode)}`],
    isSameSource(existing.source, source) ? [] : ['its content came from elsewhere'],
  ].flat();
  if (differences.length === 0) return existing;
  throw new Refusal('AlreadyExists', `A volume called ${request.name} exists, but ${differences.join(' and ')}.`);
}

function idOf(source: Source): string {
  return 'snapshot' in source ? source.snapshot : source.volume;
}
