/** What people find under `kubectl describe`: one line for each turn of a machine's life. */
import type { VirtualMachineStatus } from '@terrain/api';
import type { Happening } from '@terrain/runtime';

/** Events that are no change of the summary. */
export const happenings = {
  imageCreated: (image: string): Happening => ({
    type: 'Normal',
    reason: 'DiskImageCreated',
    note: `made VMDiskImage ${image} from vmDiskImageTemplate`,
  }),
  diskReplaced: (disk: string): Happening => ({
    type: 'Warning',
    reason: 'RootDiskDeleted',
    note: `root disk ${disk} is thrown away, and replaced by a new clone`,
  }),
} as const;

/** Reasons for which nobody has to do anything. */
const calm: ReadonlySet<string> = new Set([
  'Waiting',
  'ReferencePending',
  'DiskImageNotReady',
  'Cloning',
  'ExpansionPending',
  'Starting',
  'Stopping',
  'GuestStarting',
  'Resetting',
  'Paused',
  'Deleting',
]);

/** The event a stored status is worth: when a machine becomes ready, and when something begins to be wrong. */
export function eventOf(before: VirtualMachineStatus | undefined, now: VirtualMachineStatus): Happening | undefined {
  const then = before?.conditions?.find(({ type }) => type === 'Ready');
  const ready = now.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || (then?.status === ready.status && then.reason === ready.reason)) return undefined;
  if (ready.status === 'True') return { type: 'Normal', reason: 'Ready', note: ready.message };
  return calm.has(ready.reason) ? undefined : { type: 'Warning', reason: ready.reason, note: ready.message };
}
