import { type Decision, deleteOf, type Effect, earliest, patchOf, statusPatchOf } from '../engine/decision.ts';
import type { Instance, Machine } from '../objects.ts';
import { instantOf, type Time } from '../time.ts';
import { desiredDataVolume, desiredInstance } from './desired.ts';
import { isUsable } from './disks.ts';
import { isFinal, machineFinalizer } from './instance.ts';
import { type Doing, machineStatus } from './machine-status.ts';
import { runStrategyOf, wantOf } from './run-strategy.ts';
import type { MachineView } from './view.ts';

const refusedAgainMs = 3000;

/** What happens next to a VirtualMachine. Follows KubeVirt 1.9, pkg/virt-controller/watch/vm/vm.go. */
export function decideMachine(view: MachineView, time: Time): Decision {
  const { machine, instance } = view;
  if (machine.metadata.deletionTimestamp !== undefined) return remove(view, time);
  const effects: Effect[] = [...hold(machine)];
  const again = view.refusal === undefined ? undefined : instantOf(time, view.refusal.atMs, refusedAgainMs);
  if (view.refusal !== undefined && again !== undefined && again > time.nowMs) {
    const failure = { reason: 'FailedCreate', message: view.refusal.message };
    return { effects: [...effects, ...tell(view, { failure }, time)], ...earliest(again) };
  }
  // Before its controller has looked a machine reads Stopped; where the schema's default does not say so, the first look does.
  if (machine.status?.printableStatus === undefined && view.scenario.durations.boot > 0)
    return { effects: [...effects, ...tell(view, {}, time)] };
  const { created, areReady } = templatedDisks(view);
  if (!areReady && runStrategyOf(machine) !== 'Halted')
    return { effects: [...effects, ...tell(view, {}, time), ...created, ...letGo(instance)] };
  const want = wantOf(machine, instance, time.nowMs);
  const stops = want.action === 'stop' && instance !== undefined && instance.metadata.deletionTimestamp === undefined;
  const doing = {
    isStarting: want.action === 'start',
    isStopping: stops,
    ...(want.requestsStart === true && stops ? { requestsStart: true } : {}),
  };
  effects.push(...created);
  if (want.action === 'start') effects.push(...start(view, time));
  if (stops) effects.push(...stop(machine, instance));
  effects.push(...tell(view, doing, time), ...letGo(instance));
  return { effects, ...earliest(want.retryAtMs) };
}

/**
 * Between the end of Provisioning and the start there is a moment in which nothing is expected, and the machine reads Stopped; it is
 * written before the instance is made.
 */
function start(view: MachineView, time: Time): readonly Effect[] {
  const { machine } = view;
  const wasProvisioning = machine.status?.printableStatus === 'Provisioning';
  return [
    ...(wasProvisioning ? tell(view, {}, time) : []),
    { do: 'create', kind: 'VirtualMachineInstance', object: desiredInstance(machine) },
    // An instant start is for load: it makes only the writes that nobody can do without.
    ...(view.scenario.durations.boot > 0 ? [started(machine)] : []),
  ];
}

function started(machine: Machine): Effect {
  const message = `Started the virtual machine by creating the new virtual machine instance ${machine.metadata.name}`;
  return { do: 'event', about: machine, type: 'Normal', reason: 'SuccessfulCreate', message };
}

function stop(machine: Machine, instance: Instance): readonly Effect[] {
  const message = `Stopped the virtual machine by deleting the virtual machine instance ${instance.metadata.uid}`;
  return [
    deleteOf('VirtualMachineInstance', instance),
    { do: 'event', about: machine, type: 'Normal', reason: 'SuccessfulDelete', message },
  ];
}

function remove(view: MachineView, time: Time): Decision {
  const { machine, instance } = view;
  if (instance === undefined) {
    const { finalizers = [] } = machine.metadata;
    if (!finalizers.includes(machineFinalizer)) return { effects: [] };
    const kept = finalizers.filter((name) => name !== machineFinalizer);
    return { effects: [patchOf('VirtualMachine', machine, { metadata: { finalizers: kept.length === 0 ? null : kept } })] };
  }
  const effects: Effect[] =
    instance.metadata.deletionTimestamp === undefined ? [deleteOf('VirtualMachineInstance', instance)] : [];
  return { effects: [...effects, ...tell(view, { isStopping: true }, time), ...letGo(instance)] };
}

function hold({ metadata, ...machine }: Machine): readonly Effect[] {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(machineFinalizer)) return [];
  return [patchOf('VirtualMachine', { ...machine, metadata }, { metadata: { finalizers: [...finalizers, machineFinalizer] } })];
}

/** An ended instance is let go only after its end is in the machine's status. */
function letGo(instance: Instance | undefined): readonly Effect[] {
  if (instance === undefined || !isFinal(instance)) return [];
  const { finalizers = [] } = instance.metadata;
  if (!finalizers.includes(machineFinalizer)) return [];
  const kept = finalizers.filter((name) => name !== machineFinalizer);
  return [patchOf('VirtualMachineInstance', instance, { metadata: { finalizers: kept.length === 0 ? null : kept } })];
}

function tell(view: MachineView, doing: Doing, time: Time): readonly Effect[] {
  // Nobody can see an instant start under way.
  const isUntold = doing.isStarting === true || (view.instance !== undefined && view.instance.status?.phase === undefined);
  if (view.scenario.durations.boot === 0 && isUntold) return [];
  const status = machineStatus(view, doing, time);
  if (status === undefined) return [];
  const { startFailure, stateChangeRequests } = view.machine.status ?? {};
  // A merge patch keeps what it does not name.
  const dropped = {
    ...(startFailure !== undefined && status.startFailure === undefined ? { startFailure: null } : {}),
    ...(stateChangeRequests !== undefined && status.stateChangeRequests === undefined ? { stateChangeRequests: null } : {}),
  };
  return [statusPatchOf('VirtualMachine', view.machine, { ...status, ...dropped })];
}

/** Disks from templates: made once, never re-made when they fail. The instance comes when all are filled. */
function templatedDisks({ machine, dataVolumes }: MachineView): { created: readonly Effect[]; areReady: boolean } {
  const templates = machine.spec.dataVolumeTemplates ?? [];
  const created = templates
    .filter(({ metadata }) => !dataVolumes.has(metadata.name))
    .map((template): Effect => ({ do: 'create', kind: 'DataVolume', object: desiredDataVolume(machine, template) }));
  const areReady = templates.every(({ metadata }) => {
    const dataVolume = dataVolumes.get(metadata.name);
    return dataVolume !== undefined && isUsable(dataVolume);
  });
  return { created, areReady };
}
