import { type Decision, type Effect, earliest, patchOf } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Claim, SourceWithUrl } from '../objects.ts';
import { bindSteps } from '../storage/bind.ts';
import { elapsedMs, instantOf, readInstant, type Time } from '../time.ts';
import { cdiAnnotations, selectedNodeAnnotation } from './annotations.ts';
import { desiredClaim, desiredPrime, primeNameOf, renderClaim, usesPopulator } from './desired.ts';
import type { ImportKind } from './fault.ts';
import { failImport, finishImport } from './finish.ts';
import { importScript, isInstant } from './import-script.ts';
import { containerStartMs, type ImportMoment, type ImportScript, importAt } from './import-timeline.ts';
import { importerSteps } from './importer.ts';
import { quotaStatus, refusedStatus, reportRefusedPrime, retryAt } from './refused.ts';
import { report } from './report.ts';
import { claimFacts } from './status.ts';
import type { DataVolumeView } from './view.ts';

type Source = { readonly kind: ImportKind; readonly details: Partial<SourceWithUrl> };

/** What happens next to a DataVolume that downloads, or makes an empty disk. Its claim, if there, is its own. */
export function decideImport(view: DataVolumeView, source: Source, time: Time): Decision {
  const { claim } = view;
  const script = importScript(view, source);
  if (claim === undefined) return createClaim(view, source, script, time);
  const annotations = claim.metadata.annotations ?? {};
  if (claim.status?.phase === 'Lost') return { effects: report(view, { phase: 'Failed', claim: claimFacts(claim) }, time) };
  if (annotations[cdiAnnotations.podPhase] === 'Succeeded') return finishImport(view, claim, time);
  if (annotations[cdiAnnotations.fatalError] === 'true') return failImport(view, claim, time);
  const pending = { phase: 'Pending', claim: claimFacts(claim) };
  if (!view.isServed) return { effects: report(view, pending, time) };
  if (!usesPopulator(view)) return fillInPlace(view, { source, claim, filled: claim, script }, time);
  if (waitsForConsumer(view, claim)) return { effects: report(view, { ...pending, phase: 'PendingPopulation' }, time) };
  return populate(view, { source, claim, script }, time);
}

function createClaim(view: DataVolumeView, source: Source, script: ImportScript, time: Time): Decision {
  const { dataVolume, refusal, switches } = view;
  if (switches.has('quota')) return { effects: report(view, quotaStatus(dataVolume.metadata.name), time) };
  const rendered = renderClaim(view);
  if ('problem' in rendered)
    return { effects: report(view, { phase: '', reason: 'ErrClaimNotValid', message: rendered.problem }, time) };
  const again = retryAt(refusal, time);
  if (refusal !== undefined && again !== undefined)
    return { effects: report(view, refusedStatus(refusal), time), ...earliest(again) };
  const isPopulated = usesPopulator(view);
  const isDone = isInstant(script) && view.isServed;
  const object = desiredClaim(dataVolume, {
    spec: rendered.spec,
    annotations: isDone ? doneAnnotations(view, time) : {},
    switches,
    ...(isPopulated
      ? { populator: { kind: 'VolumeImportSource', name: `volume-import-source-${dataVolume.metadata.uid}` } }
      : {}),
  });
  // An instant import is for load: it makes only the writes that nobody can do without.
  const note = isDone ? [] : pathNote(view, isPopulated);
  const effects: Effect[] = [...note, { do: 'create', kind: 'PersistentVolumeClaim', object }];
  if (isDone && source.kind !== 'blank') effects.push(download(view, source, { downloads: 1, bytes: script.bytes }));
  if (!isDone) effects.push(...report(view, { phase: 'Pending' }, time));
  for (const message of view.problems)
    effects.push({ do: 'event', about: dataVolume, type: 'Warning', reason: 'UnknownSwitch', message });
  return { effects };
}

/** CDI writes back which path it took, so the DataVolume changes once more after it was created. */
export function pathNote({ dataVolume }: DataVolumeView, isPopulated: boolean): readonly Effect[] {
  if (dataVolume.metadata.annotations?.[cdiAnnotations.usePopulator] !== undefined) return [];
  return [
    patchOf('DataVolume', dataVolume, { metadata: { annotations: { [cdiAnnotations.usePopulator]: String(isPopulated) } } }),
  ];
}

export function waitsForConsumer({ storageClass }: DataVolumeView, claim: Claim): boolean {
  const annotations = claim.metadata.annotations ?? {};
  return (
    storageClass?.volumeBindingMode === 'WaitForFirstConsumer' &&
    annotations[cdiAnnotations.immediateBinding] === undefined &&
    annotations[selectedNodeAnnotation] === undefined
  );
}

interface Work {
  readonly source: Source;
  readonly claim: Claim;
  /** The claim the importer writes to. */
  readonly filled: Claim;
  readonly script: ImportScript;
}

function populate(view: DataVolumeView, work: Omit<Work, 'filled'>, time: Time): Decision {
  const { claim } = work;
  const { prime, refusal } = view;
  if (prime !== undefined)
    return prime.metadata.deletionTimestamp === undefined ? advance(view, { ...work, filled: prime }, time) : { effects: [] };
  const again = retryAt(refusal, time);
  if (refusal !== undefined && again !== undefined)
    return { effects: reportRefusedPrime(view, claim, refusal, time), ...earliest(again) };
  return { effects: [{ do: 'create', kind: 'PersistentVolumeClaim', object: desiredPrime(claim, time.nowMs) }] };
}

/** The legacy path: the claim is Bound before a byte has arrived. */
function fillInPlace(view: DataVolumeView, work: Work, time: Time): Decision {
  const { claim } = work;
  const { storageClass } = view;
  if (storageClass === undefined) return { effects: report(view, { phase: 'Pending', claim: claimFacts(claim) }, time) };
  const binding = bindSteps(claim, view.volume, storageClass);
  if (binding.length > 0) return { effects: binding };
  if (readInstant(claim.metadata.annotations, notes.since) !== undefined) return advance(view, work, time);
  const begun = patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: { [notes.since]: String(time.nowMs) } } });
  return { effects: [...report(view, { phase: 'PVCBound', claim: claimFacts(claim) }, time), begun] };
}

function advance(view: DataVolumeView, work: Work, time: Time): Decision {
  const { source, claim, filled, script } = work;
  const held = holdBack(view, work, time);
  if (held !== undefined) return held;
  const begunMs = readInstant(filled.metadata.annotations, notes.since) ?? time.nowMs;
  const moment = importAt(script, elapsedMs(time, begunMs), shownStep(claim) + 1);
  const sinceMs = moment.isLate ? Math.floor(time.nowMs - moment.beginMs / time.speed) : begunMs;
  const isBlocked = script.fault?.at === 'container' && moment.untilMs === Number.POSITIVE_INFINITY;
  const changes = changedAnnotations(claim, {
    ...wantedAnnotations(view, work, moment, time),
    ...(isBlocked ? { [notes.blocked]: 'true' } : {}),
  });
  const effects: Effect[] = [];
  if (Object.keys(changes).length > 0)
    effects.push(patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: changes } }));
  effects.push(...report(view, { phase: phaseOf(view, claim, moment), claim: claimFacts(claim, changes) }, time));
  if (moment.downloads > 0) effects.push(download(view, source, moment));
  effects.push(...importerSteps(view, filled, moment, time.nowMs));
  if (moment.isLate)
    effects.push(patchOf('PersistentVolumeClaim', filled, { metadata: { annotations: { [notes.since]: String(sinceMs) } } }));
  return { effects, ...earliest(instantOf(time, sinceMs, moment.untilMs)) };
}

/** The last step of the import that was shown. */
function shownStep(claim: Claim): number {
  return readInstant(claim.metadata.annotations, notes.step) ?? -1;
}

/** An import whose pod cannot be made or started stands still; its clock is set when it can go on. */
function holdBack(view: DataVolumeView, { claim, filled, script }: Work, time: Time): Decision | undefined {
  const restartAt = (offsetMs: number): Effect =>
    patchOf('PersistentVolumeClaim', filled, {
      metadata: { annotations: { [notes.since]: String(Math.floor(time.nowMs - offsetMs / time.speed)) } },
    });
  if (view.refusal !== undefined) {
    const again = retryAt(view.refusal, time);
    if (again !== undefined) return { effects: [], ...earliest(again) };
    const first = importAt(script, containerStartMs(script) - 1);
    return { effects: [...importerSteps(view, filled, first, time.nowMs), restartAt(0)] };
  }
  const wasBlocked = claim.metadata.annotations?.[notes.blocked] !== undefined;
  if (!wasBlocked || script.fault?.at === 'container') return undefined;
  const goesOn = patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: { [notes.blocked]: null } } });
  // Clearing the note comes last: it is what makes this happen once.
  return { effects: [restartAt(containerStartMs(script)), goesOn] };
}

function phaseOf(view: DataVolumeView, claim: Claim, moment: ImportMoment): string {
  if (moment.outcome === 'fatal') return 'Failed';
  if (moment.podPhase === 'Succeeded') return 'Succeeded';
  if (moment.podPhase === 'Pending') return 'ImportScheduled';
  if (moment.podPhase === 'Running') return 'ImportInProgress';
  return usesPopulator(view) || claim.status?.phase !== 'Bound' ? 'Pending' : 'PVCBound';
}

function wantedAnnotations(
  view: DataVolumeView,
  { claim, filled }: Work,
  moment: ImportMoment,
  time: Time,
): Readonly<Record<string, string>> {
  const { running } = moment;
  return {
    ...(filled === claim ? {} : { [cdiAnnotations.primeName]: primeNameOf(claim) }),
    ...(moment.podPhase === '' ? {} : { [cdiAnnotations.podPhase]: moment.podPhase }),
    ...(moment.pod === 0 ? {} : { [cdiAnnotations.podSchedulable]: String(moment.isSchedulable) }),
    [cdiAnnotations.podRestarts]: String(moment.restarts),
    [cdiAnnotations.running]: String(running.status),
    [cdiAnnotations.runningMessage]: running.message,
    [cdiAnnotations.runningReason]: running.reason,
    [cdiAnnotations.progress]: moment.progress,
    [notes.step]: String(moment.step),
    ...(moment.outcome === 'fatal' ? { [cdiAnnotations.fatalError]: 'true' } : {}),
    ...(moment.outcome === 'succeeded' ? doneAnnotations(view, time) : {}),
  };
}

function changedAnnotations(claim: Claim, wanted: Readonly<Record<string, string>>): Record<string, string> {
  const have = claim.metadata.annotations ?? {};
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => have[name] !== value));
}

function doneAnnotations({ dataVolume }: DataVolumeView, time: Time): Readonly<Record<string, string>> {
  return {
    [cdiAnnotations.podPhase]: 'Succeeded',
    [cdiAnnotations.running]: 'false',
    [cdiAnnotations.runningReason]: 'Completed',
    [cdiAnnotations.runningMessage]: 'Import Complete',
    [cdiAnnotations.progress]: '100.0%',
    [cdiAnnotations.populatedFor]: dataVolume.metadata.name,
    [notes.doneAt]: String(time.nowMs),
  };
}

function download(view: DataVolumeView, source: Source, { downloads, bytes }: { downloads: number; bytes: number }): Effect {
  const { name, namespace, uid } = view.dataVolume.metadata;
  const url = source.details.url ?? '';
  return { do: 'download', download: { url, dataVolumeUid: uid, dataVolume: `${namespace}/${name}`, started: downloads, bytes } };
}
