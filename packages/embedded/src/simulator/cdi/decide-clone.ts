import { type Decision, type Effect, earliest, patchOf } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Claim, VolumeSnapshot } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import { bindSteps } from '../storage/bind.ts';
import { elapsedMs, instantOf, readInstant, type Time } from '../time.ts';
import { positionAt, type Stretch } from '../timeline.ts';
import { cdiAnnotations } from './annotations.ts';
import { pathNote, waitsForConsumer } from './decide-import.ts';
import { desiredClaim, diskBytesOf, renderClaim } from './desired.ts';
import { refusedStatus, retryAt } from './refused.ts';
import { report } from './report.ts';
import { claimFacts } from './status.ts';
import type { DataVolumeView } from './view.ts';

/** Keeps a clone from another namespace until what it made there is cleared away. */
const crossNamespaceFinalizer = 'cdi.kubevirt.io/dataVolumeFinalizer';

/** What happens next to a DataVolume that is cloned from a snapshot. Its claim, if there, is its own. */
export function decideClone(view: DataVolumeView, time: Time): Decision {
  const { claim, dataVolume } = view;
  if (claim === undefined) return createClaim(view, time);
  if (claim.status?.phase === 'Lost') return { effects: report(view, { phase: 'Failed', claim: claimFacts(claim) }, time) };
  if (!view.isServed) return { effects: report(view, { phase: 'CloneScheduled', claim: claimFacts(claim) }, time) };
  if (waitsForConsumer(view, claim))
    return { effects: report(view, { phase: 'PendingPopulation', claim: claimFacts(claim) }, time) };
  const isDone = claim.metadata.annotations?.[cdiAnnotations.clonePhase] === 'Succeeded';
  if (!isDone) return advance(view, claim, time);
  return {
    effects: [
      ...bind(view, claim),
      ...report(view, { phase: 'Succeeded', claim: claimFacts(claim) }, time),
      ...releaseClone(dataVolume),
    ],
  };
}

/** Removes CDI's finalizer from a clone that is done or being deleted. */
export function releaseClone(dataVolume: DataVolumeView['dataVolume']): readonly Effect[] {
  const { finalizers = [] } = dataVolume.metadata;
  if (!finalizers.includes(crossNamespaceFinalizer)) return [];
  const kept = finalizers.filter((name) => name !== crossNamespaceFinalizer);
  return [patchOf('DataVolume', dataVolume, { metadata: { finalizers: kept.length === 0 ? null : kept } })];
}

function createClaim(view: DataVolumeView, time: Time): Decision {
  const { dataVolume, snapshot, refusal } = view;
  const phase = dataVolume.status?.phase ?? '';
  const name = dataVolume.spec.source?.snapshot?.name;
  if (snapshot === undefined)
    return {
      effects: report(view, { phase, reason: 'CloneWithoutSource', message: `The source snapshot ${name} doesn't exist` }, time),
    };
  const problem = sourceProblem(snapshot) ?? sizeProblem(view, snapshot);
  if (problem !== undefined) {
    const message = `The clone doesn't meet the validation requirements: ${problem}`;
    return { effects: report(view, { phase, reason: 'CloneValidationFailed', message }, time) };
  }
  const again = retryAt(refusal, time);
  if (refusal !== undefined && again !== undefined)
    return { effects: report(view, refusedStatus(refusal), time), ...earliest(again) };
  const rendered = renderClaim(view, diskBytesOf(dataVolume) === undefined ? bytesOf(snapshot.status?.restoreSize) : undefined);
  if ('problem' in rendered)
    return { effects: report(view, { phase: '', reason: 'ErrClaimNotValid', message: rendered.problem }, time) };
  const isForeign = snapshot.metadata.namespace !== dataVolume.metadata.namespace;
  const { finalizers = [] } = dataVolume.metadata;
  if (isForeign && !finalizers.includes(crossNamespaceFinalizer)) {
    const held = patchOf('DataVolume', dataVolume, { metadata: { finalizers: [...finalizers, crossNamespaceFinalizer] } });
    return { effects: [held, ...report(view, { phase: 'CloneScheduled' }, time)] };
  }
  const object = desiredClaim(dataVolume, {
    spec: rendered.spec,
    annotations: { [notes.since]: String(time.nowMs), [cdiAnnotations.cloneType]: 'snapshot' },
    populator: { kind: 'VolumeCloneSource', name: `volume-clone-source-${dataVolume.metadata.uid}` },
    switches: view.switches,
  });
  return { effects: [...pathNote(view, true), { do: 'create', kind: 'PersistentVolumeClaim', object }] };
}

/** pkg/controller/common/util.go, IsSnapshotValidForClone. A snapshot that is not ready yet is allowed once it has a size. */
function sourceProblem({ status, spec, metadata }: VolumeSnapshot): string | undefined {
  if (status === undefined) return 'no status on source snapshot yet';
  if (status.error !== undefined) return `snapshot in error state with msg: ${status.error.message ?? 'no details'}`;
  if (!spec.volumeSnapshotClassName)
    return `snapshot ${metadata.name}/${metadata.namespace} does not have volume snap class populated, can't clone`;
  return bytesOf(status.restoreSize) === undefined ? 'snapshot has no restore size' : undefined;
}

/** The size asked for is compared before any overhead is added, and the snapshot's holds it already. */
function sizeProblem({ dataVolume }: DataVolumeView, { status }: VolumeSnapshot): string | undefined {
  const asked = diskBytesOf(dataVolume);
  const held = bytesOf(status?.restoreSize) ?? 0;
  if (asked === undefined || asked >= held) return undefined;
  return `target resources requests storage size is smaller than the source ${asked} < ${held}`;
}

interface CloneMoment {
  readonly phase: string;
  /** CDI's name for the step, kept on the claim. */
  readonly step: string;
}

function* cloneStretches(view: DataVolumeView): Generator<Stretch<CloneMoment>> {
  const { clone, expand } = view.scenario.durations;
  const forever = Number.POSITIVE_INFINITY;
  // Without a resizer the expansion never ends, and CDI waits for it in silence.
  const growMs = !isLarger(view) ? 0 : view.storageClass?.allowVolumeExpansion === true ? expand : forever;
  yield { lengthMs: clone * 0.2, moment: { phase: 'CloneScheduled', step: 'Pending' } };
  yield { lengthMs: clone * 0.6, moment: { phase: 'CloneFromSnapshotSourceInProgress', step: 'SnapshotClone' } };
  yield { lengthMs: growMs, moment: { phase: 'PrepClaimInProgress', step: 'PrepClaim' } };
  yield { lengthMs: clone * 0.2, moment: { phase: 'RebindInProgress', step: 'Rebind' } };
  yield { lengthMs: forever, moment: { phase: 'Succeeded', step: 'Succeeded' } };
}

function isLarger({ claim, snapshot }: DataVolumeView): boolean {
  const held = bytesOf(snapshot?.status?.restoreSize);
  return held !== undefined && (bytesOf(claim?.spec.resources?.requests?.storage) ?? 0) > held;
}

function advance(view: DataVolumeView, claim: Claim, time: Time): Decision {
  const begunMs = readInstant(claim.metadata.annotations, notes.since) ?? time.nowMs;
  const shown = readInstant(claim.metadata.annotations, notes.step) ?? -1;
  const place = positionAt(cloneStretches(view), elapsedMs(time, begunMs), shown + 1);
  const { moment } = place.stretch;
  const sinceMs = place.isLate ? Math.floor(time.nowMs - place.beginMs / time.speed) : begunMs;
  // A clone that was accepted before its snapshot was ready waits for it, and goes on by itself.
  const waits = moment.step !== 'Pending' && view.snapshot !== undefined && view.snapshot.status?.readyToUse !== true;
  const { phase, step } = waits ? { phase: 'CloneScheduled', step: 'Pending' } : moment;
  const isDone = step === 'Succeeded';
  const changes = {
    [cdiAnnotations.clonePhase]: step,
    ...(waits ? {} : { [notes.step]: String(place.step), [notes.since]: String(sinceMs) }),
    [cdiAnnotations.running]: String(!isDone && step !== 'Pending'),
    [cdiAnnotations.runningReason]: isDone ? 'Completed' : step === 'Pending' ? 'Pending' : 'Populator is running',
    [cdiAnnotations.runningMessage]: isDone ? 'Clone Complete' : step === 'Pending' ? 'Clone Pending' : '',
    ...(isDone ? { [cdiAnnotations.progress]: '100.0%', [cdiAnnotations.populatedFor]: claim.metadata.name } : {}),
  };
  const isNews = claim.metadata.annotations?.[cdiAnnotations.clonePhase] !== step;
  const effects: Effect[] = isNews ? [patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: changes } })] : [];
  // The volume is moved over before the clone counts as done.
  if (isDone) effects.push(...bind(view, claim));
  effects.push(...report(view, { phase, claim: claimFacts(claim, changes) }, time));
  return { effects, ...earliest(waits ? undefined : instantOf(time, sinceMs, place.endMs)) };
}

function bind({ storageClass, volume }: DataVolumeView, claim: Claim): readonly Effect[] {
  return storageClass === undefined ? [] : bindSteps(claim, volume, storageClass);
}
