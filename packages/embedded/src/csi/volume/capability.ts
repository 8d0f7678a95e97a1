import type { VolumeCapability } from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';

/** How a volume is used: as a directory, or as a device. It is decided when the volume is made. */
export type VolumeMode = 'filesystem' | 'block';

export const fileSystemType = 'ext4';
const accessModes = ['SINGLE_NODE_WRITER', 'SINGLE_NODE_READER_ONLY', 'SINGLE_NODE_SINGLE_WRITER', 'SINGLE_NODE_MULTI_WRITER'];
/** Keys that Kubernetes' own programs may add to the parameters of a class. */
const foreignParameters = 'csi.storage.k8s.io/';

/** The one mode that all capabilities ask for; refused when they ask for what this driver does not have. */
export function requireMode(capabilities: readonly VolumeCapability[]): VolumeMode {
  if (capabilities.length === 0) {
    throw new Refusal('InvalidArgument', 'No volume capability is given: say whether a file system or a block device is wanted.');
  }
  const problem = capabilities.map(problemOf).find((sentence) => sentence !== undefined);
  if (problem !== undefined) throw new Refusal('InvalidArgument', problem);
  const modes = new Set(capabilities.map(modeOf));
  if (modes.size > 1) {
    throw new Refusal(
      'InvalidArgument',
      'The capabilities ask for a file system and for a block device at once; a volume is one of them.',
    );
  }
  return modeOf(capabilities[0]!);
}

/** Why a volume of a mode cannot be used in the given ways; undefined when it can. */
export function whyUnsuitable(mode: VolumeMode, capabilities: readonly VolumeCapability[]): string | undefined {
  for (const capability of capabilities) {
    const problem = problemOf(capability);
    if (problem !== undefined) return problem;
    if (modeOf(capability) !== mode)
      return `The volume was made for use as ${nounOf(mode)}, not as ${nounOf(modeOf(capability))}.`;
  }
  return undefined;
}

/** Refuses parameters that mean nothing here: a wish that is silently dropped is worse than an error. */
export function requireKnownParameters(parameters: Readonly<Record<string, string>>): void {
  const unknown = Object.keys(parameters).filter((key) => !key.startsWith(foreignParameters));
  if (unknown.length > 0) {
    throw new Refusal('InvalidArgument', `This driver has no parameter ${unknown.join(', ')}: remove it from the class.`);
  }
}

export function nounOf(mode: VolumeMode): string {
  return mode === 'block' ? 'a block device' : 'a file system';
}

function modeOf(capability: VolumeCapability): VolumeMode {
  return capability.block ? 'block' : 'filesystem';
}

function problemOf({ block, mount, accessMode }: VolumeCapability): string | undefined {
  if (!block && !mount) return 'A volume capability says neither file system nor block device.';
  const mode = accessMode?.mode ?? 'UNKNOWN';
  if (!accessModes.includes(mode)) {
    return `The access mode ${mode} is not possible: volumes are files on one node. Use ReadWriteOnce or ReadWriteOncePod.`;
  }
  const wanted = mount?.fsType ?? '';
  if (wanted !== '' && wanted !== fileSystemType) {
    return `The file system ${wanted} is asked for, but volumes are formatted with ${fileSystemType}: leave fsType out.`;
  }
  return undefined;
}
