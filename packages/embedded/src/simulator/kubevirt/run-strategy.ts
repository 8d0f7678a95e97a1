import type { Instance, Machine, StateChangeRequest } from '../objects.ts';
import { isFinal } from './instance.ts';

export type RunStrategy = 'Always' | 'RerunOnFailure' | 'Manual' | 'Halted' | 'Once' | 'WaitAsReceiver';

export function runStrategyOf({ spec }: Machine): RunStrategy {
  if (spec.runStrategy !== undefined) return spec.runStrategy as RunStrategy;
  return spec.running === true ? 'Always' : 'Halted';
}

/** What a run strategy wants of the instance. `retryAtMs`: it wants a start, but not before. */
export interface Want {
  readonly action: 'start' | 'stop' | 'keep';
  readonly retryAtMs?: number;
  /** A start to be asked for once the failed instance is gone. */
  readonly requestsStart?: boolean;
}

const keep: Want = { action: 'keep' };

/** pkg/virt-controller/watch/vm/vm.go, syncRunStrategy. */
export function wantOf(machine: Machine, instance: Instance | undefined, nowMs: number): Want {
  const strategy = runStrategyOf(machine);
  const isStopAsked = instance !== undefined && asksToStop(firstRequest(machine), instance);
  if (instance !== undefined) {
    const isOver = isFinal(instance);
    if (strategy === 'Halted' || isStopAsked) return { action: 'stop' };
    if (strategy === 'Always' && isOver) return { action: 'stop' };
    if (strategy === 'RerunOnFailure' && isOver) {
      const hasFailed = instance.status?.phase === 'Failed' && instance.metadata.deletionTimestamp === undefined;
      return { action: 'stop', ...(hasFailed ? { requestsStart: true } : {}) };
    }
    return keep;
  }
  const isStartAsked = firstRequest(machine)?.action === 'Start';
  if (strategy === 'Halted' || strategy === 'WaitAsReceiver') return keep;
  if (strategy === 'Manual') return isStartAsked ? { action: 'start' } : keep;
  // A machine that was stopped under this strategy stays so until somebody asks for a start.
  if (strategy === 'RerunOnFailure' && !isStartAsked && machine.status?.runStrategy === strategy) return keep;
  if (strategy === 'Once') return { action: 'start' };
  const retryAtMs = Date.parse(machine.status?.startFailure?.retryAfterTimestamp ?? '');
  return retryAtMs > nowMs ? { action: 'keep', retryAtMs } : { action: 'start' };
}

function firstRequest({ status }: Machine): StateChangeRequest | undefined {
  return status?.stateChangeRequests?.[0];
}

function asksToStop(request: StateChangeRequest | undefined, instance: Instance): boolean {
  return request?.action === 'Stop' && request.uid === instance.metadata.uid;
}

/** Whether the first request has been carried out, so that it is to be struck off. */
export function isRequestDone(machine: Machine, instance: Instance | undefined): boolean {
  const request = firstRequest(machine);
  if (request?.action === 'Stop') return instance === undefined || request.uid !== instance.metadata.uid;
  if (request?.action === 'Start')
    return instance !== undefined && instance.metadata.deletionTimestamp === undefined && !isFinal(instance);
  return false;
}

/** Whether the machine is meant to run. */
export function isSetToStart(machine: Machine, instance: Instance | undefined): boolean {
  switch (runStrategyOf(machine)) {
    case 'Always':
      return true;
    case 'RerunOnFailure':
      return instance?.status?.phase !== 'Succeeded';
    case 'Manual':
      return instance === undefined ? firstRequest(machine)?.action === 'Start' : !asksToStop(firstRequest(machine), instance);
    case 'Once':
      return instance === undefined;
    default:
      return false;
  }
}
