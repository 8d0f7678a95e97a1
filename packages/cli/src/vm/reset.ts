/** What a reset costs and what comes after it, told before anything is lost. */
import type { VirtualMachine, VMDiskImage } from '@terrain/api';
import { plain } from '../output/plain.ts';
import { cautions, keyOf, wantedPower } from './state.ts';

/** The image a new disk would be cloned from, or why nothing is known of it. */
export type KnownImage = { readonly image: VMDiskImage } | { readonly unknown: string };

/** Where the image is. */
export function imageAddress({ metadata, spec }: VirtualMachine): { readonly namespace: string; readonly name: string } {
  const { name, namespace = '' } = spec.vmDiskImageRef;
  return { namespace: namespace === '' ? (metadata.namespace ?? '') : namespace, name };
}

/** Sentences that say what will be lost, what comes instead, and what to know. */
export function resetPlan(machine: VirtualMachine, known: KnownImage): readonly string[] {
  const { rootDisk } = machine.status ?? {};
  const { namespace, name } = imageAddress(machine);
  const where = `image ${namespace}/${name}`;
  return [
    rootDisk === undefined
      ? `${keyOf(machine)} has no root disk that is known of yet: if one is being made, it is thrown away.`
      : `Everything on the root disk ${plain(rootDisk)} of ${keyOf(machine)} is lost, for good.`,
    ...replacement(known, where),
    wantedPower(machine) === 'Running'
      ? 'The machine is stopped for it and started again; addresses and users are set up anew.'
      : 'The machine stays stopped; addresses and users are set up anew at its next start.',
    ...cautions(machine).map((caution) => `Note: ${caution}.`),
  ];
}

function replacement(known: KnownImage, where: string): readonly string[] {
  if ('unknown' in known) return [`A new disk is cloned from ${where} (${known.unknown}).`];
  const { artifact, message, phase } = known.image.status ?? {};
  if (artifact === undefined) {
    const words = plain(message ?? phase ?? 'the operator has not seen it yet');
    return [`The ${where} cannot be cloned now (${words}): until it can, the machine has no disk at all.`];
  }
  return [`A new disk is cloned from snapshot ${plain(artifact.volumeSnapshot)} of ${where}, synced ${artifact.syncedAt}.`];
}
