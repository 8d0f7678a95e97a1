import { type Decision, deleteOf, type Effect, earliest } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Claim } from '../objects.ts';
import { bindSteps, loseSteps } from '../storage/bind.ts';
import { instantOf, readInstant, type Time } from '../time.ts';
import { cdiAnnotations } from './annotations.ts';
import { removeImporter } from './importer.ts';
import { report } from './report.ts';
import { claimFacts } from './status.ts';
import type { DataVolumeView } from './view.ts';

/** The DataVolume says Succeeded first; its claim is Bound a moment later. */
export function finishImport(view: DataVolumeView, claim: Claim, time: Time): Decision {
  const { switches, storageClass, volume, scenario } = view;
  const told = report(view, { phase: 'Succeeded', claim: claimFacts(claim) }, time);
  const doneAtMs = readInstant(claim.metadata.annotations, notes.doneAt) ?? time.nowMs;
  const bindsAtMs = instantOf(time, doneAtMs, scenario.durations.bind) ?? time.nowMs;
  if (time.nowMs < bindsAtMs) return { effects: [...told, ...cleanUp(view, [view.scratch])], ...earliest(bindsAtMs) };
  const bound = switches.has('lost')
    ? loseSteps(claim)
    : storageClass === undefined
      ? []
      : bindSteps(claim, volume, storageClass);
  return { effects: [...told, ...bound, ...cleanUp(view, [view.scratch, view.prime])] };
}

/** A wrong checksum: the data goes with the scratch claim, the empty temporary claim stays until the DataVolume is deleted. */
export function failImport(view: DataVolumeView, claim: Claim, time: Time): Decision {
  return { effects: [...report(view, { phase: 'Failed', claim: claimFacts(claim) }, time), ...cleanUp(view, [view.scratch])] };
}

function cleanUp(view: DataVolumeView, claims: readonly (Claim | undefined)[]): readonly Effect[] {
  // A retained pod keeps its claims: they stay until somebody deletes the pod by hand.
  if (view.dataVolume.metadata.annotations?.[cdiAnnotations.retainPod] === 'true') return [];
  const effects: Effect[] = view.pod === undefined ? [] : [...removeImporter(view.pod)];
  for (const claim of claims)
    if (claim !== undefined && claim.metadata.deletionTimestamp === undefined)
      effects.push(deleteOf('PersistentVolumeClaim', claim));
  return effects;
}
