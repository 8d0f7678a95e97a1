import { type Decision, type Effect, earliest, patchOf } from '../engine/decision.ts';
import { notes } from '../marks.ts';
import type { Instance } from '../objects.ts';
import { parseDuration } from '../scenario/duration.ts';
import { elapsedMs, instantOf, readInstant, type Time } from '../time.ts';
import { mergeConditions } from './condition.ts';
import { instanceFinalizer, isFinal, machineFinalizer, transitions } from './instance.ts';
import type { InstanceView } from './view.ts';

const defaultGraceSeconds = 30;

/** An instance that was told to stop, or has stopped. */
export function decideEnd(view: InstanceView, time: Time): Decision {
  return isFinal(view.instance) ? remove(view, time) : shutDown(view, time);
}

function shutDown(view: InstanceView, time: Time): Decision {
  const { instance, switches, scenario } = view;
  const wasUp = instance.status?.phase === 'Running';
  const stoppingMs = readInstant(instance.metadata.annotations, notes.stoppingAt);
  const graceMs = (instance.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
  const askedMs = parseDuration(switches.get('stop') ?? '') ?? scenario.durations.stop;
  // A guest that does not listen is killed when its grace period is over, and so is one that is too slow.
  const isForced = switches.has('ignore-acpi') || askedMs > graceMs || graceMs === 0;
  const lastsMs = !wasUp ? 0 : isForced ? graceMs : askedMs;
  if (stoppingMs === undefined && lastsMs > 0) {
    const patch = { metadata: { annotations: { [notes.stoppingAt]: String(time.nowMs) } }, status: goingDown(instance, time) };
    return { effects: [patchOf('VirtualMachineInstance', instance, patch)], ...earliest(instantOf(time, time.nowMs, lastsMs)) };
  }
  const sinceMs = stoppingMs ?? time.nowMs;
  if (elapsedMs(time, sinceMs) < lastsMs) return { effects: [], ...earliest(instantOf(time, sinceMs, lastsMs)) };
  const phase = wasUp && !isForced ? 'Succeeded' : 'Failed';
  const status = {
    ...goingDown(instance, time),
    phase,
    phaseTransitionTimestamps: transitions(instance.status ?? {}, phase, time.nowMs),
  };
  const metadata = { annotations: { [notes.doneAt]: String(time.nowMs) } };
  return {
    effects: [patchOf('VirtualMachineInstance', instance, { metadata, status })],
    ...earliest(instantOf(time, time.nowMs, scenario.durations.remove)),
  };
}

function goingDown(instance: Instance, time: Time): Readonly<Record<string, unknown>> {
  const verdict = { type: 'Ready', status: 'False', reason: 'PodTerminating', message: 'virt-launcher pod is terminating' };
  const others = (instance.status?.conditions ?? []).filter(({ type }) => type !== 'Ready' && type !== 'AgentConnected');
  return { conditions: [...mergeConditions(instance.status?.conditions, [verdict], time.nowMs), ...others] };
}

/** The object stays a little longer than the guest: its pod has to end. */
function remove({ instance, machine, scenario }: InstanceView, time: Time): Decision {
  const { finalizers = [], annotations } = instance.metadata;
  const doneMs = readInstant(annotations, notes.doneAt) ?? time.nowMs;
  const goneMs = instantOf(time, doneMs, scenario.durations.remove) ?? time.nowMs;
  // Without its VirtualMachine there is nobody else to let it go.
  const ours = machine === undefined ? [instanceFinalizer, machineFinalizer] : [instanceFinalizer];
  if (!finalizers.some((name) => ours.includes(name))) return { effects: [] };
  if (time.nowMs < goneMs) return { effects: [], ...earliest(goneMs) };
  const kept = finalizers.filter((name) => !ours.includes(name));
  const effects: Effect[] = [
    patchOf('VirtualMachineInstance', instance, { metadata: { finalizers: kept.length === 0 ? null : kept } }),
  ];
  return { effects };
}
