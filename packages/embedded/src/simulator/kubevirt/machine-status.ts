import { isDeepStrictEqual } from 'node:util';
import { notes } from '../marks.ts';
import type { Instance, Machine, MachineStatus } from '../objects.ts';
import { type Time, timestamp } from '../time.ts';
import { findCondition, mergeConditions, type Verdict } from './condition.ts';
import { memoryHash, templateHash } from './desired.ts';
import { hasDiskErrors, hasUnboundClaim, isProvisioning } from './disks.ts';
import { isFinal } from './instance.ts';
import { isRequestDone, isSetToStart, runStrategyOf } from './run-strategy.ts';
import type { MachineView } from './view.ts';

/** What the same decision is about to do, which the status tells already. */
export interface Doing {
  readonly isStarting?: boolean;
  readonly isStopping?: boolean;
  readonly requestsStart?: boolean;
  readonly failure?: { readonly reason: string; readonly message: string };
}

const backoffStepMs = 10_000;
const longestBackoffMs = 300_000;

/** The status KubeVirt would write, or undefined when it is what is there already. */
export function machineStatus(view: MachineView, doing: Doing, time: Time): MachineStatus | undefined {
  const { machine, instance } = view;
  const current = machine.status ?? {};
  const created = instance !== undefined;
  const strategy = runStrategyOf(machine);
  const requests = current.stateChangeRequests?.slice(isRequestDone(machine, instance) ? 1 : 0) ?? [];
  const startFailure = startFailureOf(view, time);
  const { startFailure: _, stateChangeRequests: __, runStrategy, ...rest } = current;
  const next: MachineStatus = {
    ...rest,
    created,
    ready: findCondition(instance?.status?.conditions, 'Ready')?.status === 'True',
    ...(runStrategy !== undefined || created ? { runStrategy: strategy } : {}),
    ...(created ? generations(machine, instance) : {}),
    ...(startFailure === undefined ? {} : { startFailure }),
    ...(requests.length > 0 || doing.requestsStart === true
      ? { stateChangeRequests: doing.requestsStart === true ? [{ action: 'Start' }] : requests }
      : {}),
    conditions: mergeConditions(current.conditions, conditionsOf(view, doing), time.nowMs),
    printableStatus: printableStatus(view, doing, startFailure),
  };
  return isDeepStrictEqual(next, current) ? undefined : next;
}

function generations(machine: Machine, instance: Instance): Pick<MachineStatus, 'observedGeneration' | 'desiredGeneration'> {
  const started = Number(instance.metadata.annotations?.['kubevirt.io/vm-generation'] ?? 1);
  const desired = machine.metadata.generation ?? 1;
  return { observedGeneration: isChanged(machine, instance) ? started : desired, desiredGeneration: desired };
}

function isChanged({ spec }: Machine, instance: Instance): boolean {
  const { annotations = {} } = instance.metadata;
  return (
    annotations[notes.template] !== templateHash(spec.template.spec) ||
    annotations[notes.memory] !== memoryHash(spec.template.spec)
  );
}

function conditionsOf({ machine, instance }: MachineView, { isStopping, isStarting, failure }: Doing): readonly Verdict[] {
  const conditions: Verdict[] = [readyOf(instance)];
  if (failure !== undefined) conditions.push({ type: 'Failure', status: 'True', ...failure });
  for (const { type, status, reason, message } of instance?.status?.conditions ?? []) {
    if (type === 'Ready') continue;
    conditions.push({ type, status, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) });
  }
  const isLeaving =
    isStopping === true || isStarting === true || instance === undefined || instance.metadata.deletionTimestamp !== undefined;
  if (!isLeaving && !isFinal(instance) && isChanged(machine, instance)) conditions.push(restartRequired(machine, instance));
  return conditions;
}

function restartRequired({ spec }: Machine, instance: Instance): Verdict {
  const isOnlyMemory = instance.metadata.annotations?.[notes.template] === templateHash(spec.template.spec);
  const message = isOnlyMemory
    ? 'memory updated in template spec. Memory-hotplug is not available for this VM configuration'
    : 'a non-live-updatable field was changed in the template spec';
  return { type: 'RestartRequired', status: 'True', message };
}

function readyOf(instance: Instance | undefined): Verdict {
  if (instance === undefined) return { type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist' };
  const ready = findCondition(instance.status?.conditions, 'Ready');
  if (ready === undefined)
    return { type: 'Ready', status: 'False', reason: 'VMIConditionMissing', message: 'VMI is missing the Ready condition' };
  const { status, reason, message } = ready;
  return { type: 'Ready', status, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

/** Counts starts that never came to run; one that did clears it. */
function startFailureOf({ machine, instance }: MachineView, time: Time): MachineStatus['startFailure'] {
  const known = machine.status?.startFailure;
  const everRan = instance?.status?.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') === true;
  const restarts = ['Always', 'RerunOnFailure', 'Once'].includes(runStrategyOf(machine));
  if (everRan || !restarts) return undefined;
  if (instance === undefined || !isFinal(instance) || known?.lastFailedVMIUID === instance.metadata.uid) return known;
  const count = (known?.consecutiveFailCount ?? 0) + 1;
  const jitter = 1 + (Number.parseInt(instance.metadata.uid.slice(0, 2), 16) || 0) / 512;
  const delayMs = Math.min(backoffStepMs * count ** 2 * jitter, longestBackoffMs);
  return {
    consecutiveFailCount: count,
    lastFailedVMIUID: instance.metadata.uid,
    retryAfterTimestamp: timestamp(time.nowMs + delayMs / time.speed),
  };
}

/** First match wins: pkg/virt-controller/watch/vm/vm.go, setPrintableStatus. */
function printableStatus(
  view: MachineView,
  { isStarting, isStopping }: Doing,
  startFailure: MachineStatus['startFailure'],
): string {
  const { machine, instance } = view;
  const { spec } = machine.spec.template;
  const phase = instance?.status?.phase ?? '';
  const conditions = instance?.status?.conditions;
  const synchronized = findCondition(conditions, 'Synchronized');
  const syncReason = synchronized?.status === 'False' ? synchronized.reason : undefined;
  const scheduled = findCondition(conditions, 'PodScheduled');
  const isLeaving = instance?.metadata.deletionTimestamp !== undefined || isStopping === true;
  const isOver = isFinal(instance);
  const backsOff =
    (startFailure?.consecutiveFailCount ?? 0) > 0 && ['Always', 'RerunOnFailure', 'Once'].includes(runStrategyOf(machine));
  if (machine.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (instance !== undefined && !isOver && isLeaving) return 'Stopping';
  if (phase === 'Running') return findCondition(conditions, 'Paused')?.status === 'True' ? 'Paused' : 'Running';
  if (syncReason === 'FailedPvcNotFound') return 'ErrorPvcNotFound';
  if (hasDiskErrors(spec, view)) return 'DataVolumeError';
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') return 'ErrorUnschedulable';
  if (isProvisioning(spec, view)) return 'Provisioning';
  if (isSetToStart(machine, instance) && hasUnboundClaim(spec, view)) return 'WaitingForVolumeBinding';
  if (syncReason === 'ErrImagePull' || syncReason === 'ImagePullBackOff') return syncReason;
  if (instance === undefined ? isStarting === true : !isOver) return 'Starting';
  if (backsOff) return 'CrashLoopBackOff';
  return 'Stopped';
}
