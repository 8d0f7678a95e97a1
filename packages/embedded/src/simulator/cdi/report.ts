import { type Effect, statusPatchOf } from '../engine/decision.ts';
import type { Time } from '../time.ts';
import { dataVolumeStatus, type StatusInput } from './status.ts';
import type { DataVolumeView } from './view.ts';

/** Texts of the Running condition that belong to a normal import. */
const harmless = ['Completed', 'Scratch space required', 'ContainerCreating', 'Unschedulable', 'Pending'];

/** One status write, if anything changed, and the warnings CDI sends with it: on the DataVolume and on its claim. */
export function report(view: DataVolumeView, input: StatusInput, time: Time): readonly Effect[] {
  const { dataVolume, claim } = view;
  const status = dataVolumeStatus(dataVolume, input, time.nowMs);
  if (status === undefined) return [];
  const effects: Effect[] = [statusPatchOf('DataVolume', dataVolume, { ...status })];
  const running = status.conditions?.find((condition) => condition.type === 'Running');
  const before = dataVolume.status?.conditions?.find((condition) => condition.type === 'Running');
  const { message = '', reason = '' } = running ?? {};
  const isNews = running?.status === 'False' && message !== '' && message !== before?.message;
  if (isNews && !harmless.includes(reason)) {
    effects.push({ do: 'event', about: dataVolume, type: 'Warning', reason, message });
    if (claim !== undefined) effects.push({ do: 'event', about: claim, type: 'Warning', reason: 'ErrImportFailed', message });
  }
  // One that was never seen under way was instant, and meant for load.
  if (status.phase === 'Succeeded' && dataVolume.status?.phase !== 'Succeeded' && dataVolume.status?.phase !== undefined)
    effects.push({
      do: 'event',
      about: dataVolume,
      type: 'Normal',
      reason: dataVolume.spec.source?.snapshot === undefined ? 'ImportSucceeded' : 'CloneSucceeded',
      message: `Successfully imported into PVC ${dataVolume.metadata.name}`,
    });
  return effects;
}
