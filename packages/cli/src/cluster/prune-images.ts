/** Reads what a pruning is judged by, and deletes. */
import { type VirtualMachine, virtualMachineKind } from '@terrain/api';
import { ApiError, type Connection, isConflict, isNotFound, Resource } from '@terrain/runtime';
import type { Candidate, Pruned, PruneFacts, PrunePlan, PruneWish } from '../image/prune.ts';
import { judgeAgain } from '../image/second-look.ts';
import { CommandError } from '../output/exit.ts';
import { wordsOf } from './explain.ts';
import { imagesOf, readLedger } from './images.ts';

const { group, version, plural } = virtualMachineKind;
const machineType = { group, version, plural, namespaced: true };
const parallel = 8;

export async function readPruning(
  connection: Connection,
  namespace: string | undefined,
  { olderThanMs }: PruneWish,
): Promise<PruneFacts> {
  const ledger = await readLedger(connection);
  if (typeof ledger === 'string' && olderThanMs === undefined)
    throw new CommandError(`how long unused images are kept is not known: ${ledger}; give --older-than DURATION.`);
  const { policy, entries } = typeof ledger === 'string' ? {} : ledger;
  // Images before machines: one that a machine found in between is in use, by the list of machines.
  const { items: images } = await imagesOf(connection).list(namespace === undefined ? {} : { namespace });
  const { items: machines } = await new Resource<VirtualMachine>(connection, machineType).list();
  return { images, machines, policy, active: new Set(entries?.keys()) };
}

/**
 * Deletes what was shown to a person, as far as a second look finds that it may still go.
 *
 * Guarantees: nothing that was not shown is deleted, and each that was shown has an outcome.
 */
export async function pruneShown(
  connection: Connection,
  shown: readonly Candidate[],
  look: () => Promise<PrunePlan>,
  signal: AbortSignal,
): Promise<Pruned[]> {
  const { going, dropped } = judgeAgain(shown, await look());
  return [...dropped, ...(await deleteImages(connection, going, signal))];
}

/**
 * Deletes images, each only in the very version that was judged: one that was changed, used or made anew meanwhile stays.
 *
 * Guarantees: all are tried; one that stays does not keep the others from going. Gone already is as good as deleted.
 */
export async function deleteImages(connection: Connection, going: readonly Candidate[], signal: AbortSignal): Promise<Pruned[]> {
  const images = imagesOf(connection);
  const remove = async (candidate: Candidate): Promise<Pruned> => {
    const { namespace = '', name, uid = '', resourceVersion = '' } = candidate.image.metadata;
    try {
      await images.delete({ namespace, name }, { uid, resourceVersion, signal });
      return { candidate };
    } catch (error) {
      if (isNotFound(error)) return { candidate };
      if (isConflict(error)) return { candidate, problem: 'it was changed meanwhile; look again.' };
      if (error instanceof ApiError && error.code === 403) return { candidate, problem: wordsOf(error) };
      throw error;
    }
  };
  const pruned: Pruned[] = [];
  for (let at = 0; at < going.length; at += parallel)
    pruned.push(...(await Promise.all(going.slice(at, at + parallel).map(remove))));
  return pruned;
}
