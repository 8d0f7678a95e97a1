import { labels, managerName } from '@terrain/api';
import { ApiError } from '@terrain/runtime';
import { type Failure, shorten } from '#platform/failure.ts';
import { judgeRefusal, serverWords } from '#platform/refusal.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { desiredSnapshot } from './desired.ts';
import type { Pass } from './pass.ts';
import type { Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

/**
 * Creates the snapshot of a complete download. Undefined when it is there; otherwise why there is none that could be used.
 *
 * A fault of the API server is thrown, to be tried again, but not for longer than a download may stand still: a slot is for downloads, and a snapshot
 * can be cut without one.
 */
export async function cutSnapshot(
  { deps, hands }: Pass,
  { image, policy, nowMs }: Snapshot,
  { name, volume }: Extract<Step, { kind: 'cut' }>,
): Promise<Failure | undefined> {
  const { uid } = image.metadata;
  try {
    const made = await hands.createSnapshot(desiredSnapshot(image, name, volume));
    deps.memories.cutDone(uid);
    return unheardOf(made);
  } catch (error) {
    const verdict = judgeRefusal(error);
    if (verdict !== undefined && verdict !== 'slot') return verdict;
    if (!(error instanceof ApiError) || nowMs - deps.memories.cutFailed(uid, nowMs) < policy.noProgressTimeout) throw error;
    return waiting(`VolumeSnapshot ${name} cannot be created: ${serverWords(error)}`);
  }
}

/** It was there before, and somebody took away the label by which the caches find it. */
function unheardOf({ metadata }: VolumeSnapshot): Failure | undefined {
  if (metadata.labels?.[labels.managedBy] === managerName) return undefined;
  const label = `${labels.managedBy}=${managerName}`;
  return waiting(
    `VolumeSnapshot ${metadata.name} is there without the label ${label}, by which the operator hears of it: put it back, or delete the snapshot`,
  );
}

const waiting = (message: string): Failure => ({ class: 'wait', reason: 'RefusedByPlatform', message: shorten(message) });
