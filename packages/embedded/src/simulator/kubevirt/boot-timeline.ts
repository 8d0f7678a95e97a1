import { notes } from '../marks.ts';
import { parseDuration } from '../scenario/duration.ts';
import type { Switches } from '../scenario/switches.ts';
import type { Stretch } from '../timeline.ts';
import type { Verdict } from './condition.ts';
import type { InstanceView } from './view.ts';

/** How a machine starts; fixed for one start. */
export interface BootScript {
  readonly bootMs: number;
  /** From running to the guest agent's first report; infinite for a guest without one. */
  readonly agentMs: number;
  /** From running to the readiness probe's first success; nothing for a machine without one. */
  readonly probeMs: number;
  readonly fault?: 'unschedulable' | 'image-missing' | 'no-disk' | 'start-fails';
  /** How long it runs before it ends by itself, and how. */
  readonly end?: { readonly afterMs: number; readonly phase: 'Succeeded' | 'Failed' };
}

/** What a starting or running instance looks like. */
export interface BootMoment {
  readonly phase: 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed';
  readonly isReady: boolean;
  /** Runs, but its readiness probe does not succeed. */
  readonly isUnanswered?: boolean;
  readonly hasAgent: boolean;
  /** Conditions beside Ready that only this moment has. */
  readonly extra: readonly Verdict[];
}

/** Shares of a start, from one of 5.1 s: Pending until 0.2 s, Scheduling until 3.2 s. */
export const pendingShare = 0.04;
const schedulingShare = 0.63;
/** Which part of a start Scheduling is, counted from 0. */
export const schedulingStep = 1;
/** Ready follows the phase Running by 0.03-0.1 s. */
const readyLagMs = 60;
/** How long a failed start shows its reason before the instance is Failed. */
const flashMs = 150;
const forever = Number.POSITIVE_INFINITY;
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

/** What was decided when the start began is read from the instance's notes. */
export function bootScript(annotations: Readonly<Record<string, string>>, view: InstanceView): BootScript {
  const { switches, scenario } = view;
  const { durations } = scenario;
  const fault = faultOf(annotations, switches);
  const crashMs = parseDuration(switches.get('crash') ?? '');
  const offMs = parseDuration(switches.get('poweroff') ?? '');
  const end =
    crashMs !== undefined
      ? ({ afterMs: crashMs, phase: 'Failed' } as const)
      : offMs !== undefined
        ? ({ afterMs: offMs, phase: 'Succeeded' } as const)
        : undefined;
  const agentMs = switches.has('no-agent') ? forever : (parseDuration(switches.get('agent') ?? '') ?? durations.agent);
  return {
    bootMs: parseDuration(switches.get('boot') ?? '') ?? durations.boot,
    agentMs,
    probeMs: probeMsOf(view, agentMs),
    ...(fault === undefined ? {} : { fault }),
    ...(end === undefined ? {} : { end }),
  };
}

function faultOf(annotations: Readonly<Record<string, string>>, switches: Switches): BootScript['fault'] {
  if (switches.has('unschedulable')) return 'unschedulable';
  if (switches.has('image-missing')) return 'image-missing';
  if (switches.has('no-disk')) return 'no-disk';
  return annotations[notes.startFails] === 'true' ? 'start-fails' : undefined;
}

/** A guest's services come up about when its agent does, unless a switch says otherwise. */
function probeMsOf({ instance, switches, scenario }: InstanceView, agentMs: number): number {
  const probe = instance.spec.readinessProbe;
  if (probe === undefined) return 0;
  if (probe.guestAgentPing !== undefined) return agentMs;
  return switches.has('no-port') ? forever : (parseDuration(switches.get('port') ?? '') ?? scenario.durations.agent);
}

/** How an instance looks from the moment its disks are ready. */
export function* bootStretches(script: BootScript): Generator<Stretch<BootMoment>> {
  const { bootMs, fault } = script;
  const plain = { isReady: false, hasAgent: false, extra: [] } as const;
  const scheduling = { ...plain, phase: 'Scheduling' } as const;
  yield { lengthMs: bootMs * pendingShare, moment: { ...plain, phase: 'Pending' } };
  if (fault === 'unschedulable') yield { lengthMs: forever, moment: { ...scheduling, extra: [unschedulable] } };
  if (fault === 'image-missing') yield* pulling(scheduling);
  yield { lengthMs: bootMs * (schedulingShare - pendingShare), moment: scheduling };
  yield { lengthMs: bootMs * (1 - schedulingShare), moment: { ...plain, phase: 'Scheduled' } };
  if (fault === 'no-disk') yield { lengthMs: forever, moment: { ...plain, phase: 'Scheduled', extra: [noDisk] } };
  if (fault === 'start-fails') {
    yield { lengthMs: flashMs, moment: { ...plain, phase: 'Scheduled', extra: [syncFailed] } };
    yield { lengthMs: forever, moment: { ...plain, phase: 'Failed' } };
  }
  yield* running(script);
}

function* running({ bootMs, agentMs, probeMs, end }: BootScript): Generator<Stretch<BootMoment>> {
  const readyMs = bootMs === 0 ? 0 : readyLagMs;
  const endMs = end?.afterMs ?? forever;
  const news = [readyMs, agentMs, probeMs].filter((atMs) => atMs > 0 && atMs < endMs).toSorted((a, b) => a - b);
  let beginMs = 0;
  for (const untilMs of [...news, endMs]) {
    const isUnanswered = beginMs >= readyMs && beginMs < probeMs;
    const isReady = beginMs >= readyMs && beginMs >= probeMs;
    const moment = { phase: 'Running', isReady, isUnanswered, hasAgent: beginMs >= agentMs, extra: [] } as const;
    yield { lengthMs: untilMs - beginMs, moment };
    beginMs = untilMs;
  }
  if (end !== undefined) yield { lengthMs: forever, moment: { phase: end.phase, isReady: false, hasAgent: false, extra: [] } };
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

const noDisk: Verdict = {
  type: 'Synchronized',
  status: 'False',
  reason: 'Synchronizing with the Domain failed.',
  message:
    'server error. command SyncVMI failed: "failed to find a sourceFile in containerDisk root: no file found in folder /disk, no disk present"',
};

/** The pull's error and its back-off take turns for as long as the image is missing. */
function* pulling(scheduling: BootMoment): Generator<Stretch<BootMoment>> {
  yield { lengthMs: pullErrorMs, moment: scheduling };
  for (;;)
    for (const [reason, message, lengthMs] of pullFlips)
      yield { lengthMs, moment: { ...scheduling, extra: [{ type: 'Synchronized', status: 'False', reason, message }] } };
}
