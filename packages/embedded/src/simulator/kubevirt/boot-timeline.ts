import { notes } from '../marks.ts';
import { parseDuration } from '../scenario/duration.ts';
import type { Verdict } from './condition.ts';
import type { InstanceView } from './view.ts';

/** How a machine starts; fixed for one start. */
export interface BootScript {
  readonly bootMs: number;
  /** From running to the guest agent's first report; infinite for a guest without one. */
  readonly agentMs: number;
  readonly fault?: 'unschedulable' | 'image-missing' | 'start-fails';
  /** How long it runs before it ends by itself, and how. */
  readonly end?: { readonly afterMs: number; readonly phase: 'Succeeded' | 'Failed' };
}

/** What a starting or running instance looks like from one instant to the next. */
export interface BootMoment {
  readonly phase: 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed';
  readonly isReady: boolean;
  readonly hasAgent: boolean;
  /** Conditions beside Ready that only this moment has. */
  readonly extra: readonly Verdict[];
  readonly untilMs: number;
}

/** Shares of a start, from one of 5.1 s: Pending until 0.2 s, Scheduling until 3.2 s. */
export const pendingShare = 0.04;
const schedulingShare = 0.63;
/** Ready follows the phase Running by 0.03-0.1 s. */
const readyLagMs = 60;
/** How long a failed start shows its reason before the instance is Failed. */
const flashMs = 150;
const pullErrorMs = 3000;
const pullFlips: readonly [reason: string, message: string, lengthMs: number][] = [
  ['ErrImagePull', 'failed to pull and unpack image: not found', 1000],
  ['ImagePullBackOff', 'Back-off pulling image: not found', 12_000],
];

/** Whether a start that begins now is to fail. Each failure is counted on the machine, a success clears the count. */
export function isToFail({ switches, machine }: InstanceView): boolean {
  const failures = machine?.status?.startFailure?.consecutiveFailCount ?? 0;
  return switches.has('crashloop') || failures < Number(switches.get('start-fails') ?? 0);
}

export function bootScript({ instance, switches, scenario }: InstanceView): BootScript {
  const { durations } = scenario;
  const failsToStart = instance.metadata.annotations?.[notes.startFails] === 'true';
  const fault = switches.has('unschedulable')
    ? 'unschedulable'
    : switches.has('image-missing')
      ? 'image-missing'
      : failsToStart
        ? 'start-fails'
        : undefined;
  const crashMs = parseDuration(switches.get('crash') ?? '');
  const offMs = parseDuration(switches.get('poweroff') ?? '');
  const end =
    crashMs !== undefined
      ? ({ afterMs: crashMs, phase: 'Failed' } as const)
      : offMs !== undefined
        ? ({ afterMs: offMs, phase: 'Succeeded' } as const)
        : undefined;
  return {
    bootMs: parseDuration(switches.get('boot') ?? '') ?? durations.boot,
    agentMs: switches.has('no-agent')
      ? Number.POSITIVE_INFINITY
      : (parseDuration(switches.get('agent') ?? '') ?? durations.agent),
    ...(fault === undefined ? {} : { fault }),
    ...(end === undefined ? {} : { end }),
  };
}

/** How an instance looks at an offset from the moment its disks were ready. */
export function bootAt(script: BootScript, offsetMs: number): BootMoment {
  const { bootMs, agentMs, fault, end } = script;
  const plain = { isReady: false, hasAgent: false, extra: [] } as const;
  const pendingMs = bootMs * pendingShare;
  const scheduledMs = bootMs * schedulingShare;
  if (offsetMs < pendingMs) return { ...plain, phase: 'Pending', untilMs: pendingMs };
  if (fault === 'unschedulable')
    return { ...plain, phase: 'Scheduling', extra: [unschedulable], untilMs: Number.POSITIVE_INFINITY };
  if (fault === 'image-missing') return pulling(offsetMs);
  if (offsetMs < scheduledMs) return { ...plain, phase: 'Scheduling', untilMs: scheduledMs };
  if (offsetMs < bootMs) return { ...plain, phase: 'Scheduled', untilMs: bootMs };
  if (fault === 'start-fails')
    return offsetMs < bootMs + flashMs
      ? { ...plain, phase: 'Scheduled', extra: [syncFailed], untilMs: bootMs + flashMs }
      : { ...plain, phase: 'Failed', untilMs: Number.POSITIVE_INFINITY };
  const endMs = end === undefined ? Number.POSITIVE_INFINITY : bootMs + end.afterMs;
  if (end !== undefined && offsetMs >= endMs) return { ...plain, phase: end.phase, untilMs: Number.POSITIVE_INFINITY };
  const readyMs = bootMs + (bootMs === 0 ? 0 : readyLagMs);
  const agentAtMs = bootMs + agentMs;
  const isReady = offsetMs >= readyMs;
  const hasAgent = isReady && offsetMs >= agentAtMs;
  const next = [readyMs, agentAtMs, endMs].filter((instant) => instant > offsetMs);
  return { phase: 'Running', isReady, hasAgent, extra: [], untilMs: Math.min(...next, Number.POSITIVE_INFINITY) };
}

const unschedulable: Verdict = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message:
    '0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
};

const syncFailed: Verdict = {
  type: 'Synchronized',
  status: 'False',
  reason: 'Synchronizing with the Domain failed.',
  message: 'server error. command SyncVMI failed: "LibvirtError(Code=1, Domain=10, Message=\'internal error: simulated\')"',
};

/** The pull's error and its back-off take turns for as long as the image is missing. */
function pulling(offsetMs: number): BootMoment {
  const plain = { phase: 'Scheduling', isReady: false, hasAgent: false } as const;
  if (offsetMs < pullErrorMs) return { ...plain, extra: [], untilMs: pullErrorMs };
  const roundMs = pullFlips.reduce((sum, [, , lengthMs]) => sum + lengthMs, 0);
  let beginMs = pullErrorMs + Math.floor((offsetMs - pullErrorMs) / roundMs) * roundMs;
  for (const [reason, message, lengthMs] of pullFlips) {
    const endMs = beginMs + lengthMs;
    if (offsetMs < endMs)
      return { ...plain, extra: [{ type: 'Synchronized', status: 'False', reason, message }], untilMs: endMs };
    beginMs = endMs;
  }
  throw new Error('the flips of a pull fill its rounds');
}
