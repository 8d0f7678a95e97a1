/** One pass over one image: the only place, with the files it calls, where decisions become effects. */
import { after, done, type Result } from '@terrain/runtime';
import { adoptImport } from './adopt-import.ts';
import { clearAttempt, clearOrphans } from './clear-entry.ts';
import { createVolume } from './create-volume.ts';
import { cutSnapshot } from './cut-snapshot.ts';
import { decide } from './decide.ts';
import { decideRefusedCut } from './decide-cut.ts';
import { endAttempt } from './end-attempt.ts';
import { isPaused } from './facts.ts';
import { cleanUp, pruneAtMs, pruneIfDue } from './housekeeping.ts';
import { lose } from './lost-artifact.ts';
import { observe } from './observe.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { ImageRecord } from './record.ts';
import { keepImage, removeImage } from './removal.ts';
import { isNew, newMs } from './rest.ts';
import type { Snapshot } from './snapshot.ts';
import { quietMs } from './status.ts';
import type { Decision } from './step.ts';

/** Makes the next step of an image. */
export async function reconcileImage(pass: Pass): Promise<Result> {
  const { deps, key, signal } = pass;
  await deps.keeper.ready;
  const orphans = await clearOrphans(pass);
  const seen = observe(deps, key);
  if (seen === undefined) {
    deps.awaitPlatform(key, false);
    return orphans;
  }
  const [snapshot, decision] = await look(pass, seen, signal);
  tellQueue(pass, snapshot, decision);
  return earlier(orphans, await carryOut(pass, snapshot, decision));
}

/** Decides, and reads live what the decision depends on and no cache holds. */
async function look({ deps, key }: Pass, seen: Snapshot, signal: AbortSignal): Promise<[Snapshot, Decision]> {
  const first = decide(seen);
  const { step } = first;
  const isBlocked = step.kind === 'wait' && (typeof seen.secret === 'object' || typeof seen.certConfigMap === 'object');
  const isStarting = step.kind === 'begin' || step.kind === 'create';
  if (step.kind === 'end' && step.outcome.kind === 'failed' && step.outcome.failure.isUntold) {
    const { dataVolume = '' } = step.attempt;
    const importerWords = await deps.eyes.importerWords(seen.image.metadata.namespace, dataVolume, signal);
    if (importerWords === undefined) return [seen, first];
    const heard: Snapshot = { ...seen, importerWords };
    return [heard, decide(heard)];
  }
  const isUnsettled = step.kind === 'check' || (step.kind === 'queue' && !step.waiting.isSettled);
  const hasNeeds = seen.secret !== 'none' || seen.certConfigMap !== 'none';
  if (!hasNeeds || !(isBlocked || isStarting || isUnsettled)) {
    if (hasNeeds && step.kind === 'queue') deps.needs.keep(key, seen.image);
    else deps.needs.release(key);
    return [seen, first];
  }
  const checked: Snapshot = { ...seen, ...(await deps.needs.check(key, seen.image, signal)) };
  return [checked, decide(checked)];
}

function tellQueue({ deps, key }: Pass, { image }: Snapshot, { step }: Decision): void {
  deps.intake.decided(key, image.metadata.uid, step);
  const isPlatform =
    step.kind === 'wait' && ['PlatformMissing', 'StorageClassMissing', 'SnapshotClassMissing'].includes(step.reason);
  deps.awaitPlatform(key, isPlatform);
}

async function carryOut(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { step } = decision;
  switch (step.kind) {
    case 'begin':
    case 'create':
      return createVolume(pass, snapshot, decision, step.attempt);
    case 'end':
      return endAttempt(pass, snapshot, decision, step);
    case 'clear':
      return clearAttempt(pass, snapshot, decision, step);
    case 'adopt':
      return adoptImport(pass, snapshot, decision, step);
    case 'cut': {
      const { image, heldMs } = await saveStatus(pass, snapshot, decision);
      const now: Snapshot = { ...snapshot, image };
      const refusal = await cutSnapshot(pass, now, step);
      if (refusal !== undefined) return carryOut(pass, now, decideRefusedCut(now, decision.record, refusal));
      // Also if nobody ever touches it, so that its deadline is seen to pass.
      return after(heldMs > 0 ? heldMs : quietMs);
    }
    case 'succeed':
      return succeed(pass, snapshot, decision);
    case 'yieldSlot':
      await saveStatus(pass, snapshot, decision);
      await pass.deps.keeper.change({ kind: 'release', uid: snapshot.image.metadata.uid, attempt: step.entry.attempt });
      return done;
    case 'lose':
      return lose(pass, snapshot, decision, step);
    case 'inUse':
      return keepImage(pass, snapshot, decision, step);
    case 'remove':
      return removeImage(pass, snapshot, decision, step);
    default:
      return rest(pass, snapshot, decision);
  }
}

/** Nothing to do but to say so, to clear away what is left over, and to come back when time alone changes something. */
async function rest(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { step, record } = decision;
  // Then it is never called Queued, which would be a write that the next one undoes. Its entry wakes it; should none come, it is told that it waits.
  if (step.kind === 'queue' && isNew(snapshot) && pass.deps.keeper.expects(snapshot.image.metadata.uid)) return after(newMs);
  const { image, heldMs } = await saveStatus(pass, snapshot, decision);
  const byItself = earlier(
    untilStored(heldMs),
    'afterMs' in step && step.afterMs !== undefined ? afterAtMost(step.afterMs) : done,
  );
  if (isPaused(snapshot)) return byItself;
  const now = { ...snapshot, image };
  await cleanUp(pass, now, record);
  // Its own deletion wakes nobody: what it takes along is removed by the next pass.
  if (await pruneIfDue(pass, now, record)) return after(0);
  return earlier(byItself, untilPrune(now, record));
}

async function succeed(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { deps } = pass;
  const { image, heldMs } = await saveStatus(pass, snapshot, decision);
  const { uid } = image.metadata;
  const { slot } = snapshot;
  deps.memories.forget(uid);
  // Not waited for: whatever becomes of this process, the next one finds an attempt that is over and releases it.
  if (slot.ledger === 'readable' && slot.entry !== undefined)
    deps.keeper
      .change({ kind: 'release', uid, attempt: slot.entry.attempt })
      .catch((error: unknown) => pass.log.debug({ err: error }, 'the slot is released later'));
  await cleanUp(pass, { ...snapshot, image }, decision.record);
  // As it is once the slot is free, which wakes nobody.
  const freed: Snapshot = { ...snapshot, image, slot: slot.ledger === 'readable' ? { ...slot, entry: undefined } : slot };
  return earlier(untilStored(heldMs), untilPrune(freed, decision.record));
}

/** Comes back for what a status could not say yet. */
const untilStored = (heldMs: number): Result => (heldMs > 0 ? after(heldMs) : done);

/** Timers are computed from stored instants at every pass, so none needs to be longer than a day. */
const afterAtMost = (ms: number): Result => after(Math.min(Math.max(0, ms), 86_400_000));

/** Where it is time already, a live look found a machine that the cache does not show yet, or its slot is being given back. */
const leastPruneMs = 1000;

function untilPrune(snapshot: Snapshot, record: ImageRecord): Result {
  const atMs = pruneAtMs(snapshot, record);
  return atMs === undefined ? done : afterAtMost(Math.max(leastPruneMs, atMs - snapshot.nowMs));
}

/** The one that comes first. */
function earlier(...results: readonly Result[]): Result {
  const times = results.flatMap(({ afterMs }) => (afterMs === undefined ? [] : [afterMs]));
  return times.length === 0 ? done : after(Math.min(...times));
}
