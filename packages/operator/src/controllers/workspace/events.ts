/** What people find under `kubectl describe`: one line for each turn of a workspace's life. */
import type { WorkspaceStatus } from '@terrain/api';
import type { Happening } from '@terrain/runtime';

/** Events that are no change of the summary. */
export const happenings = {
  imageCreated: (image: string): Happening => ({ type: 'Normal', reason: 'DiskImageCreated', note: `made VMDiskImage ${image}` }),
  removed: (what: string): Happening => ({
    type: 'Normal',
    reason: 'Removed',
    note: `${what} is not asked for any more, and is removed`,
  }),
} as const;

/** Reasons for which nobody has to do anything. */
const calm: ReadonlySet<string> = new Set([
  'Waiting',
  'Progressing',
  'DiskImagesNotReady',
  'NetworksPending',
  'VolumesPending',
  'VirtualMachinesNotReady',
  'ContainersNotReady',
  'NamespaceTerminating',
  'Paused',
  'Deleting',
]);

/** The event a stored status is worth: when a workspace becomes ready, and when something begins to be wrong. */
export function eventOf(before: WorkspaceStatus | undefined, now: WorkspaceStatus): Happening | undefined {
  const then = before?.conditions?.find(({ type }) => type === 'Ready');
  const ready = now.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || (then?.status === ready.status && then.reason === ready.reason)) return undefined;
  const note = ready.message.slice(0, 900);
  if (ready.status === 'True') return { type: 'Normal', reason: ready.reason, note };
  return calm.has(ready.reason) ? undefined : { type: 'Warning', reason: ready.reason, note };
}
