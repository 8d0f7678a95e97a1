import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { selectedNodeAnnotation } from '../cdi/annotations.ts';
import { type Decision, type Effect, earliest, patchOf } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Instance, InstanceStatus } from '../objects.ts';
import { elapsedMs, instantOf, readInstant, type Time } from '../time.ts';
import { positionAt } from '../timeline.ts';
import { type BootMoment, bootScript, bootStretches, isToFail, pendingShare } from './boot-timeline.ts';
import { mergeConditions, type Verdict } from './condition.ts';
import { claimNamesOf, dataVolumeNamesOf, diskState } from './disks.ts';
import { isFinal, transitions } from './instance.ts';
import { interfaceStatus } from './network-data.ts';
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
  const shown = readInstant(annotations, notes.step) ?? -1;
  const { stretch, step, beginMs, endMs, isLate } = positionAt(bootStretches(script), elapsedMs(time, begunMs), shown + 1);
  const sinceMs = isLate ? Math.floor(time.nowMs - beginMs / time.speed) : begunMs;
  const wanted = { ...more, [notes.since]: String(sinceMs), [notes.step]: String(step) };
  const news = Object.entries(wanted).filter(([name, value]) => annotations?.[name] !== value);
  const effects = show(view, stretch.moment, time, Object.fromEntries(news));
  return { effects, ...earliest(instantOf(time, sinceMs, endMs)) };
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
  const status = statusOf(view, moment, time);
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

function statusOf(view: InstanceView, moment: BootMoment, time: Time): InstanceStatus & Record<string, unknown> {
  const { instance, scenario, networkData } = view;
  const current = instance.status ?? {};
  const isPlaced = moment.phase === 'Scheduled' || moment.phase === 'Running';
  const agent = moment.hasAgent ? { networkData } : undefined;
  return {
    ...current,
    phase: moment.phase,
    ...(isPlaced
      ? { nodeName: scenario.node, interfaces: interfaceStatus(instance.spec, (name) => macOf(instance, name), agent) }
      : {}),
    ...(moment.hasAgent ? { guestOSInfo: { name: 'Simulated Linux', id: 'simulated', prettyName: 'Simulated Linux' } } : {}),
    conditions: mergeConditions(current.conditions, conditionsOf(view, moment), time.nowMs),
    phaseTransitionTimestamps: transitions(current, moment.phase, time.nowMs),
  };
}

function conditionsOf({ instance, claims, dataVolumes }: InstanceView, moment: BootMoment): readonly Verdict[] {
  const conditions: Verdict[] = [readyOf(moment)];
  const volumes = dataVolumeNamesOf(instance.spec).flatMap((name) => dataVolumes.get(name) ?? []);
  if (volumes.length > 0) {
    const isReady = volumes.every(
      (one) => one.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
    conditions.push(
      isReady
        ? { type: 'DataVolumesReady', status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and ready" }
        : { type: 'DataVolumesReady', status: 'False', reason: 'NotAllDVsReady', message: "Not all of the VMI's DVs are ready" },
    );
  }
  if (moment.phase === 'Scheduled' || moment.phase === 'Running') {
    const unshared = claimNamesOf(instance.spec).find(
      (name) => claims.get(name)?.spec.accessModes?.includes('ReadWriteMany') !== true,
    );
    conditions.push(
      unshared === undefined
        ? { type: 'LiveMigratable', status: 'True' }
        : {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: `cannot migrate VMI: PVC ${unshared} is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)`,
          },
      { type: 'StorageLiveMigratable', status: 'True' },
    );
  }
  if (moment.hasAgent) conditions.push({ type: 'AgentConnected', status: 'True' });
  return [...conditions, ...moment.extra];
}

function readyOf({ isReady, phase }: BootMoment): Verdict {
  if (isReady) return { type: 'Ready', status: 'True' };
  if (phase === 'Pending')
    return { type: 'Ready', status: 'False', reason: 'PodNotExists', message: 'virt-launcher pod has not yet been scheduled' };
  return { type: 'Ready', status: 'False', reason: 'GuestNotRunning', message: 'Guest VM is not reported as running' };
}

/** An interface without an address of its own gets a new one at every start. */
function macOf(instance: Instance, name: string): string {
  const bytes = createHash('sha256').update(`${instance.metadata.uid}/${name}`).digest().subarray(0, 5);
  return ['02', ...Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))].join(':');
}
