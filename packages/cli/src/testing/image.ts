/** Disk images for tests, as an API server would store them. */
import { sourceHash, type VMDiskImage, type VMDiskImageStatus } from '@terrain/api';
import { aVMDiskImage, type Override, override, stored } from '@terrain/api/testing';

export function anImage(name: string, change: Override<VMDiskImage> = {}): VMDiskImage {
  return stored(override(aVMDiskImage({ metadata: { name, namespace: 'farm' } }), change));
}

/** Hash of the source `anImage` has. */
export const hash: string = sourceHash(anImage('a').spec);

/** The status of an image whose source has been synced. */
export const readyStatus: VMDiskImageStatus = {
  observedGeneration: 1,
  phase: 'Succeeded',
  message: 'machines can clone it',
  progress: '100%',
  conditions: [conditionOf('Ready', 'True', 'Succeeded')],
  artifact: { volumeSnapshot: 'a-snap', dataVolume: 'a-1', sourceHash: hash, syncedAt: '2026-01-01T00:10:00Z' },
};

/** The status of an image that waits; `reason` other than Progressing: for something else than a slot. */
export function waitingStatus(queuedAt: string, ticket: string, reason = 'Progressing'): VMDiskImageStatus {
  return {
    observedGeneration: 1,
    phase: 'Queued',
    message: 'waits',
    queuedAt,
    ticket,
    conditions: [conditionOf('Reconciling', 'True', reason)],
  };
}

function conditionOf(type: string, status: 'True' | 'False', reason: string) {
  return { type, status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
}
