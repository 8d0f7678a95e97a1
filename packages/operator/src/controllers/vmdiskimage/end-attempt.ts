/** The end of an attempt, as effects. */
import { dataVolumeName, labels, managerName } from '@terrain/api';
import { after, controllerUid, type Result } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import { endOf } from './decide-end.ts';
import { hashOf } from './desired.ts';
import { type Pass, saveStatus } from './pass.ts';
import { type Attempt, currentRecord, type Outcome } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** The outcome is stored first: from then on nobody goes on with this attempt, whoever crashes next. */
export async function endAttempt(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { attempt, isGone }: Extract<Step, { kind: 'end' }>,
): Promise<Result> {
  const { deps, signal } = pass;
  const { namespace, name, uid } = snapshot.image.metadata;
  let told = decision;
  if (isGone) {
    const live = await deps.eyes.dataVolume(namespace, dataVolumeName({ name, uid, attempt: attempt.number }), signal);
    if (live !== undefined && controllerUid(live) === uid) {
      const label = lostLabel(live, attempt);
      // The cache is behind: its next event wakes us.
      if (label === undefined) return after(1000);
      told = endOf(snapshot, currentRecord(snapshot), attempt)(unfollowed(live, label));
    }
  }
  // Without a slot, says the cache. A rival may have given it one just now, and be about to create the DataVolume.
  if (!hasEntry(snapshot) && (await deps.eyes.entry(uid, signal)) !== undefined) return after(1000);
  await saveStatus(pass, snapshot, told);
  deps.memories.forget(uid);
  return after(0);
}

/** The label for want of which no cache will ever show a DataVolume as that of its attempt. */
function lostLabel({ metadata }: DataVolume, { sourceHash }: Attempt): string | undefined {
  if (metadata.labels?.[labels.managedBy] !== managerName) return labels.managedBy;
  return hashOf({ metadata }) === sourceHash ? undefined : labels.sourceHash;
}

const unfollowed = ({ metadata }: DataVolume, label: string): Outcome => ({
  kind: 'failed',
  failure: {
    class: 'retryable',
    reason: 'DataVolumeLost',
    message: `DataVolume ${metadata.name} lost the label ${label}, by which the operator follows it: this attempt is over; find out who changes labels`,
  },
});

const hasEntry = ({ slot }: Snapshot): boolean => slot.ledger === 'readable' && slot.entry !== undefined;
