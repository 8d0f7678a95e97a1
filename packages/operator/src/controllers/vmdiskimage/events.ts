/** What people find under `kubectl describe`: one line for each turn of an image's life. */
import type { Happening } from '@terrain/runtime';
import type { Snapshot } from './snapshot.ts';
import { readiness } from './status.ts';
import type { Decision } from './step.ts';

/** Reasons of events that are no reasons of a condition. */
export const EventReason = {
  Synced: 'Synced',
  SourceChanged: 'SourceChanged',
  SnapshotLost: 'SnapshotLost',
  Pruned: 'Pruned',
} as const;

/** Reasons to wait that somebody has to do something about. */
const complaints: ReadonlySet<string> = new Set([
  'SecretMissing',
  'SecretInvalid',
  'CertConfigMapMissing',
  'StorageClassMissing',
  'SnapshotClassMissing',
  'PlatformMissing',
]);

/** The event a decision is worth, once its status is stored. */
export function eventOf({ image }: Snapshot, { step, record }: Decision): Happening | undefined {
  switch (step.kind) {
    case 'succeed':
      return {
        type: 'Normal',
        reason: EventReason.Synced,
        note: `VolumeSnapshot ${record.artifact?.volumeSnapshot} can be cloned`,
      };
    case 'end': {
      const { outcome, attempt } = step;
      const number = `attempt ${attempt.number}`;
      if (outcome.kind === 'cancelled') return { type: 'Normal', reason: 'Cancelled', note: `${number} was cancelled` };
      if (outcome.kind === 'sourceChanged')
        return { type: 'Normal', reason: EventReason.SourceChanged, note: `${number} was ended because the source changed` };
      if (outcome.kind === 'withdrawn') return undefined;
      const { gaveUp, nextRetryAt } = record.retry;
      const next = gaveUp === undefined ? `tried again at ${nextRetryAt ?? 'once'}` : 'given up';
      return { type: 'Warning', reason: outcome.failure.reason, note: `${number} failed, ${next}: ${outcome.failure.message}` };
    }
    case 'lose':
      return {
        type: 'Warning',
        reason: 'ArtifactLost',
        note: `VolumeSnapshot ${step.volumeSnapshot} and its volume are gone; downloads again`,
      };
    case 'cut': {
      const isLost = readiness(image.status)?.status === 'True' && record.artifact !== undefined;
      return isLost
        ? {
            type: 'Warning',
            reason: EventReason.SnapshotLost,
            note: `VolumeSnapshot ${image.status?.artifact?.volumeSnapshot} is gone or broken; cuts ${step.name} from the kept volume`,
          }
        : undefined;
    }
    case 'failed': {
      const isNew = image.status?.retry?.gaveUp === undefined;
      return isNew ? { type: 'Warning', reason: step.reason, note: step.message } : undefined;
    }
    case 'wait':
      return complaints.has(step.reason) && readiness(image.status)?.reason !== step.reason
        ? { type: 'Warning', reason: step.reason, note: step.message }
        : undefined;
    default:
      return undefined;
  }
}
