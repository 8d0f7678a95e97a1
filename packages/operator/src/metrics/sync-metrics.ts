import { parseQuantityBytes, type VMDiskImage, type VMDiskImageReason } from '@terrain/api';
import { type Change, Counter, Gauge, type Happening, Histogram, type Registry } from '@terrain/runtime';
import { EventReason } from '#controllers/vmdiskimage/events.ts';
import type { Snapshot } from '#controllers/vmdiskimage/snapshot.ts';
import type { Decision } from '#controllers/vmdiskimage/step.ts';
import { failureTable } from '#platform/failure.ts';
import type { PolicyProblem } from '#policy/policy.ts';
import { type AttemptEnd, avoidedRetries, endedAttempt, waitedSeconds } from './attempt-end.ts';
import type { LedgerWrite } from './measured-port.ts';

/** From images of a second, as in a laboratory, to the six hours an attempt may take. */
const syncBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600];
const waitBuckets = [...syncBuckets, 43_200, 86_400];

const phases = ['Queued', 'Syncing', 'Succeeded', 'Failed'] as const;
/** Why attempts fail: as the platform tells, or as we conclude. */
const failureReasons: ReadonlySet<VMDiskImageReason> = new Set([
  ...failureTable.map(({ reason }) => reason),
  'NoProgress',
  'AttemptTimedOut',
  'SnapshotFailed',
]);
/** Images whose status nobody has written yet. */
const unseen = 'Unseen';

/**
 * Counts what happens to images.
 *
 * Guarantees: constant work for each event and nothing at a scrape; an attempt is counted once, with the status write that ends it, whichever
 * process makes that write. Labels are results, reasons and phases, never names.
 */
export class SyncMetrics {
  readonly #attempts;
  readonly #durations;
  readonly #waits;
  readonly #avoided;
  readonly #cutAgain;
  readonly #diskBytes;
  readonly #images;
  readonly #ledgerWrites;
  readonly #policyProblems;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'terrain_sync_attempts_total',
      help: 'Attempts that ended, by result (succeeded, failed, gave_up, deferred, cancelled, source_changed, withdrawn) and reason.',
      labelNames: ['result', 'reason'] as const,
      registers,
    });
    this.#durations = new Histogram({
      name: 'terrain_sync_duration_seconds',
      help: 'How long attempts held a slot until they ended, by result.',
      labelNames: ['result'] as const,
      buckets: syncBuckets,
      registers,
    });
    this.#waits = new Histogram({
      name: 'terrain_sync_wait_seconds',
      help: 'How long images stood in the queue before they were admitted.',
      buckets: waitBuckets,
      registers,
    });
    this.#avoided = new Counter({
      name: 'terrain_sync_retries_avoided_total',
      help: 'Attempts the retry limit would have allowed and that were not made because the failure was permanent, by reason.',
      labelNames: ['reason'] as const,
      registers,
    });
    this.#cutAgain = new Counter({
      name: 'terrain_sync_snapshots_cut_again_total',
      help: 'Lost snapshots cut again from the kept volume, without a download.',
      registers,
    });
    this.#diskBytes = new Counter({
      name: 'terrain_sync_disk_bytes_total',
      help: 'Size of the disks that became ready, where the platform said it. Bytes on the network are not known: CDI reports per cent.',
      registers,
    });
    this.#images = new Gauge({
      name: 'terrain_images',
      help: 'Disk images by phase; Unseen until the operator has written a status.',
      labelNames: ['phase'] as const,
      registers,
    });
    this.#ledgerWrites = new Counter({
      name: 'terrain_sync_ledger_writes_total',
      help: 'Writes of the ledger by result: written, conflict, refused, error.',
      labelNames: ['result'] as const,
      registers,
    });
    this.#policyProblems = new Gauge({
      name: 'terrain_sync_policy_problems',
      help: 'Keys of the ConfigMap sync-operator-policy that are not in force, by kind: invalid (the last good value counts), unknown.',
      labelNames: ['kind'] as const,
      registers,
    });
    // A series that begins with its first failure would hide that one from everybody who looks at increases.
    for (const reason of failureReasons) {
      for (const result of ['failed', 'gave_up']) this.#attempts.inc({ result, reason }, 0);
      this.#avoided.inc({ reason }, 0);
    }
    this.#attempts.inc({ result: 'succeeded', reason: 'Succeeded' }, 0);
    for (const phase of [...phases, unseen]) this.#images.set({ phase }, 0);
    for (const result of ['written', 'conflict', 'refused', 'error'] as const) this.#ledgerWrites.inc({ result }, 0);
    this.policyProblems([]);
  }

  /** The status of a decision was stored. */
  stored(snapshot: Snapshot, decision: Decision, happening: Happening | undefined): void {
    if (decision.step.kind === 'begin') this.#waits.observe(waitedSeconds(decision));
    if (happening?.reason === EventReason.SnapshotLost) this.#cutAgain.inc();
    const end = endedAttempt(snapshot, decision);
    if (end !== undefined) this.#ended(end, snapshot, decision);
  }

  /** An image came, changed or went. */
  imageChanged(change: Change<VMDiskImage>): void {
    const before = change.type === 'added' ? undefined : phaseOf(change.old);
    const after = change.type === 'deleted' ? undefined : phaseOf(change.new);
    if (before === after) return;
    if (before !== undefined) this.#images.dec({ phase: before });
    if (after !== undefined) this.#images.inc({ phase: after });
  }

  ledgerWritten(result: LedgerWrite): void {
    this.#ledgerWrites.inc({ result });
  }

  policyProblems(problems: readonly PolicyProblem[]): void {
    for (const kind of ['invalid', 'unknown'] as const)
      this.#policyProblems.set({ kind }, problems.filter((problem) => problem.kind === kind).length);
  }

  #ended({ result, reason, seconds }: AttemptEnd, snapshot: Snapshot, decision: Decision): void {
    this.#attempts.inc({ result, reason });
    this.#durations.observe({ result }, seconds);
    const avoided = avoidedRetries(snapshot, decision);
    if (avoided > 0) this.#avoided.inc({ reason }, avoided);
    const bytes = result === 'succeeded' ? parseQuantityBytes(decision.record.artifact?.restoreSize ?? '') : undefined;
    if (bytes !== undefined) this.#diskBytes.inc(Number(bytes));
  }
}

/** A phase somebody made up by hand makes no new series. */
function phaseOf({ status }: VMDiskImage): string {
  return phases.find((phase) => phase === status?.phase) ?? unseen;
}
