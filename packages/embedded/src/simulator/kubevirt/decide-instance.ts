import { isDeepStrictEqual } from 'node:util';
import { selectedNodeAnnotation } from '../cdi/annotations.ts';
import { type Decision, type Effect, earliest, patchOf } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Instance } from '../objects.ts';
import { elapsedMs, instantOf, readInstant, type Time } from '../time.ts';
import { positionAt } from '../timeline.ts';
import {
  type BootMoment,
  type BootScript,
  bootScript,
  bootStretches,
  isToFail,
  pendingShare,
  schedulingStep,
} from './boot-timeline.ts';
import type { Verdict } from './condition.ts';
import { claimNamesOf, diskState } from './disks.ts';
import { isFinal } from './instance.ts';
import { instanceStatus } from './instance-status.ts';
import { decideEnd } from './stop.ts';
import type { InstanceView } from './view.ts';

/** What happens next to a VirtualMachineInstance. Its status is part of the object: the kind has no status subresource. */
export function decideInstance(view: InstanceView, time: Time): Decision {
  const { instance } = view;
  if (instance.metadata.deletionTimestamp !== undefined || isFinal(instance)) return decideEnd(view, time);
  const sinceMs = readInstant(instance.metadata.annotations, notes.since);
  return sinceMs === undefined ? prepare(view, time) : advance(view, sinceMs, time);
}

/** Shows the next part of the start; `more` is noted with it. */
function advance(view: InstanceView, begunMs: number, time: Time, more: Readonly<Record<string, string>> = {}): Decision {
  const { annotations } = view.instance.metadata;
  const script = bootScript({ ...view.instance.metadata.annotations, ...more }, view);
  const shown = shownStep(view, script);
  const { stretch, step, beginMs, endMs, isLate } = positionAt(bootStretches(script), elapsedMs(time, begunMs), shown + 1);
  const sinceMs = isLate ? Math.floor(time.nowMs - beginMs / time.speed) : begunMs;
  const wanted = { ...more, [notes.since]: String(sinceMs), [notes.step]: String(step) };
  const news = Object.entries(wanted).filter(([name, value]) => annotations?.[name] !== value);
  const effects = show(view, stretch.moment, time, Object.fromEntries(news));
  return { effects, ...earliest(instantOf(time, sinceMs, endMs)) };
}

/**
 * The last part of the start that was shown. Turns of pulling an image are more parts than a start has: once the image is there, it goes on
 * from Scheduling, so that nothing after that is skipped.
 */
function shownStep({ instance }: InstanceView, { bootMs, fault }: BootScript): number {
  const shown = readInstant(instance.metadata.annotations, notes.step) ?? -1;
  const isPulled = fault !== 'image-missing' && instance.status?.phase === 'Scheduling';
  return isPulled && bootMs > 0 ? Math.min(shown, schedulingStep) : shown;
}

/** Until everything its pod needs is there. The clock of the start begins after that. */
function prepare(view: InstanceView, time: Time): Decision {
  const { instance, claims } = view;
  const disks = diskState(instance.spec, view);
  const still = { isReady: false, hasAgent: false };
  if (disks.state === 'failed') return { effects: show(view, { ...still, phase: 'Failed', extra: [] }, time) };
  if (disks.state === 'missing') {
    const message = `PVC ${instance.metadata.namespace}/${disks.claim} does not exist, waiting for it to appear`;
    const extra: readonly Verdict[] = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
      { type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound', message },
    ];
    return { effects: show(view, { ...still, phase: 'Pending', extra }, time) };
  }
  if (disks.state === 'filling') return { effects: show(view, { ...still, phase: 'Pending', extra: [] }, time) };
  if (view.switches.has('quota')) return refusePod(view, time);
  // A missing network or Secret keeps the pod in creation; nothing but the pod's own events ever says so.
  const unbound = claimNamesOf(instance.spec)
    .flatMap((name) => claims.get(name) ?? [])
    .filter((claim) => claim.status?.phase !== 'Bound');
  if (view.missing.length > 0 || unbound.length > 0) {
    const consumed = unbound.filter((claim) => claim.metadata.annotations?.[selectedNodeAnnotation] === undefined);
    const placed = consumed.map((claim) =>
      patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: { [selectedNodeAnnotation]: view.scenario.node } } }),
    );
    return { effects: [...show(view, { ...still, phase: 'Scheduling', extra: [] }, time), ...placed] };
  }
  const isUnderway = instance.status?.phase === 'Scheduling';
  const bootMs = bootScript({}, view).bootMs;
  // One that waited in Scheduling does not fall back to Pending.
  const begunMs = isUnderway ? Math.floor(time.nowMs - (bootMs * pendingShare) / time.speed) : time.nowMs;
  const step = isUnderway && bootMs > 0 ? { [notes.step]: '0' } : {};
  return advance({ ...view, instance: noted(instance, step) }, begunMs, time, { [notes.startFails]: String(isToFail(view)) });
}

function refusePod(view: InstanceView, time: Time): Decision {
  const { name } = view.instance.metadata;
  const refusal = `pods "virt-launcher-${name}-" is forbidden: exceeded quota: simulated, requested: requests.memory=1Gi, used: requests.memory=0, limited: requests.memory=0`;
  const message = `failed to create virtual machine pod: ${refusal}`;
  const extra: readonly Verdict[] = [{ type: 'Synchronized', status: 'False', reason: 'FailedCreate', message }];
  const shown = show(view, { isReady: false, hasAgent: false, phase: 'Pending', extra }, time);
  const said = { do: 'event', about: view.instance, type: 'Warning', reason: 'FailedCreate' } as const;
  return { effects: shown.length === 0 ? [] : [...shown, { ...said, message: `Error creating pod: ${refusal}` }] };
}

function noted(instance: Instance, annotations: Readonly<Record<string, string>>): Instance {
  return { ...instance, metadata: { ...instance.metadata, annotations: { ...instance.metadata.annotations, ...annotations } } };
}

/** One write with status and notes together, if anything differs, and the events that go with a change of phase. */
function show(
  view: InstanceView,
  moment: BootMoment,
  time: Time,
  annotations: Readonly<Record<string, string>> = {},
): readonly Effect[] {
  const { instance, scenario } = view;
  const status = instanceStatus(view, moment, time);
  const isPlaced = moment.phase === 'Scheduled' || moment.phase === 'Running';
  const label = { 'kubevirt.io/nodeName': scenario.node };
  const isLabelled = !isPlaced || instance.metadata.labels?.['kubevirt.io/nodeName'] === scenario.node;
  const isKnown = Object.keys(annotations).length === 0 && isLabelled;
  if (isKnown && isDeepStrictEqual(status, instance.status ?? {})) return [];
  const isEnd = moment.phase === 'Failed' || moment.phase === 'Succeeded';
  const noted = { ...annotations, ...(isEnd ? { [notes.doneAt]: String(time.nowMs) } : {}) };
  const metadata = { ...(isPlaced ? { labels: label } : {}), ...(Object.keys(noted).length === 0 ? {} : { annotations: noted }) };
  const effects: Effect[] = [patchOf('VirtualMachineInstance', instance, { metadata, status })];
  if (moment.phase === 'Running' && instance.status?.phase !== 'Running' && scenario.durations.boot > 0) {
    const said = { do: 'event', about: instance, type: 'Normal' } as const;
    effects.push({ ...said, reason: 'Created', message: 'VirtualMachineInstance defined.' });
    effects.push({ ...said, reason: 'Started', message: 'VirtualMachineInstance started.' });
  }
  return effects;
}
