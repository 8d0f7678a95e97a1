import { type Attempt, ended, type ImageRecord, type Outcome } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

type End = Decision & { readonly step: Extract<Step, { kind: 'end' }> };

/** Ends an attempt: the record counts it, the step says why. `isGone` wants a live look first. */
export function endOf(snapshot: Snapshot, record: ImageRecord, attempt: Attempt) {
  return (outcome: Outcome, isGone = false): End => ({
    record: ended(record, attempt, outcome, snapshot),
    step: { kind: 'end', attempt, outcome, isGone },
  });
}
