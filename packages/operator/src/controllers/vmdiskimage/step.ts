import type { LedgerEntry, VMDiskImageReason } from '@terrain/api';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import type { Waiting } from '#queue/sync-queue.ts';
import type { Attempt, ImageRecord, Outcome } from './record.ts';

/**
 * What an image needs next. Every branch of decide() ends in exactly one of these.
 *
 * | observed | step |
 * |---|---|
 * | artifact of this source, snapshot ready | steady |
 * | artifact of this source, snapshot gone or broken, its claim Bound | cut |
 * | artifact of this source, snapshot and claim gone | lose (live reads may say: wait) |
 * | not admitted, nothing to wait for | queue |
 * | preflight problem, backoff, paused, a slot needed or held and the ledger unreadable | wait |
 * | a Secret or ConfigMap has not been read yet | check |
 * | admitted, the status does not say so yet | begin |
 * | admitted, attempt never had a DataVolume | create |
 * | DataVolume importing | importing |
 * | DataVolume refused, or not made in time | end |
 * | DataVolume failed, lost, importer restarted, deadline passed, cancelled, source changed | end |
 * | attempt over, its slot still held | clear |
 * | DataVolume complete, claim Bound, no snapshot | cut |
 * | snapshot not ready yet | cutting |
 * | snapshot error or deadline | cut (the next one), or failed after three |
 * | snapshot refused by the API server | end, later cut again; or wait, or failed, where no attempt runs |
 * | snapshot ready | succeed |
 * | download complete, but paused | yieldSlot |
 * | download running that the ledger does not know | adopt |
 * | given up | failed |
 * | being deleted, machines refer to it | inUse (the slot is given back) |
 * | being deleted | remove |
 */
export type Step =
  | { readonly kind: 'steady' }
  | { readonly kind: 'wait'; readonly reason: VMDiskImageReason; readonly message: string; readonly afterMs?: number }
  | { readonly kind: 'check' }
  | { readonly kind: 'queue'; readonly waiting: Waiting; readonly isPolicyPaused: boolean }
  | { readonly kind: 'begin'; readonly attempt: Attempt }
  | { readonly kind: 'create'; readonly attempt: Attempt }
  | { readonly kind: 'importing'; readonly dataVolume: DataVolume; readonly afterMs: number }
  | { readonly kind: 'end'; readonly attempt: Attempt; readonly outcome: Outcome; readonly isGone: boolean }
  | { readonly kind: 'clear'; readonly entry: LedgerEntry; readonly keepsDataVolume: boolean }
  | { readonly kind: 'cut'; readonly name: string; readonly volume: Volume }
  | { readonly kind: 'cutting'; readonly snapshot: VolumeSnapshot; readonly afterMs: number }
  | { readonly kind: 'succeed'; readonly snapshot: VolumeSnapshot }
  | { readonly kind: 'yieldSlot'; readonly entry: LedgerEntry }
  | { readonly kind: 'adopt'; readonly attempt: Attempt; readonly dataVolume: DataVolume }
  | { readonly kind: 'lose'; readonly volumeSnapshot: string; readonly dataVolume: string }
  | { readonly kind: 'failed'; readonly reason: VMDiskImageReason; readonly message: string }
  | { readonly kind: 'inUse'; readonly entry: LedgerEntry | undefined }
  | { readonly kind: 'remove'; readonly entry: LedgerEntry | undefined };

/** What a snapshot is cut from: a DataVolume, or the claim it left, which carries the same name and labels. */
export type Volume = DataVolume | Claim;

/** The next step, and what the status is to remember once it says so. */
export type Decision = { readonly step: Step; readonly record: ImageRecord };
