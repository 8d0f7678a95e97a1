import type { Durations } from '../scenario/scenario.ts';
import { positionAt, type Stretch } from '../timeline.ts';
import type { Fault, ImportKind } from './fault.ts';

/** Everything that decides how an import goes; it never changes while the import lasts. */
export interface ImportScript {
  readonly kind: ImportKind;
  readonly durations: Durations;
  /** Bytes of one complete download. */
  readonly bytes: number;
  readonly fault?: Fault;
}

/** What an import looks like from one instant to the next. */
export interface ImportMoment {
  /** Which importer pod is there, counted from 1; 0 before the first. */
  readonly pod: number;
  readonly container: 'none' | 'waiting' | 'running' | 'terminated';
  /** Phase the pod reports, in the sense of CDI's annotation: it keeps the last one where CDI does. */
  readonly podPhase: '' | 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly isSchedulable: boolean;
  readonly running: { readonly status: boolean; readonly reason: string; readonly message: string };
  readonly restarts: number;
  /** `N/A`, or per cent with two decimals. */
  readonly progress: string;
  readonly hasScratch: boolean;
  /** How often the image's data was asked for; the first pod only looks at its head, which does not count unless it fails. */
  readonly downloads: number;
  readonly bytes: number;
  readonly outcome: 'underway' | 'succeeded' | 'fatal';
  /** Offset at which this moment ends; infinite when only somebody else can end it. */
  readonly untilMs: number;
  /** See Position. */
  readonly step: number;
  readonly beginMs: number;
  readonly isLate: boolean;
}

/** While a stretch transfers, progress is read every two seconds, as CDI does. */
interface ImportStretch extends Stretch<Omit<ImportMoment, 'untilMs' | 'progress' | 'bytes' | 'step' | 'beginMs' | 'isLate'>> {
  readonly transfer?: { readonly to: number; readonly perMs: number };
}

const progressEveryMs = 2000;
/** How long an importer lives that fails as soon as it has asked the server: 0.2-2 s were seen. */
const shortRunMs = 800;
/** Seen between a crash and the next start. After that the kubelet's longest back-off, five minutes. */
const restartGapsMs = [4200, 11_200, 22_200, 53_200, 82_200, 163_200, 309_200, 302_200];
const longestGapMs = 299_200;
/** "Unschedulable" shows for a part of every normal start: the claim is not bound yet when the pod appears. */
const unschedulableShare = 0.4;

/**
 * How an import looks at an offset from its start.
 *
 * The stretches follow what was seen of CDI 1.65 on populator storage: a first pod that validates and ends with "Scratch space required", a
 * second one that downloads to scratch space and converts. Only the container's restarts count as restarts, not the change of pods.
 */
export function importAt(script: ImportScript, offsetMs: number, atMostStep = Number.POSITIVE_INFINITY): ImportMoment {
  let progress = 'N/A';
  let bytes = 0;
  const { stretch, step, beginMs, endMs, insideMs, isLate } = positionAt(
    stretches(script),
    offsetMs,
    atMostStep,
    ({ transfer, lengthMs }) => {
      if (transfer === undefined) return;
      const ticks = Math.floor(Math.min(lengthMs, transfer.to / transfer.perMs) / progressEveryMs);
      if (ticks > 0) progress = percent(ticks * progressEveryMs * transfer.perMs);
      bytes += Math.round(script.bytes * transfer.to);
    },
  );
  const { moment, transfer } = stretch;
  const place = { step, beginMs, isLate };
  if (transfer === undefined)
    return { ...moment, ...place, progress: moment.outcome === 'succeeded' ? '100.0%' : progress, bytes, untilMs: endMs };
  const fullMs = transfer.to / transfer.perMs;
  const passedMs = Math.min(insideMs, fullMs);
  const ticks = Math.floor(passedMs / progressEveryMs);
  if (ticks > 0) progress = percent(ticks * progressEveryMs * transfer.perMs);
  // A transfer that hangs is read for ever, so its last figure is seen however short the way there was.
  const hangs = endMs === Number.POSITIVE_INFINITY;
  if (hangs && passedMs === fullMs) progress = percent(transfer.to);
  const nextTickMs = (ticks + 1) * progressEveryMs;
  const nextMs = nextTickMs <= fullMs ? nextTickMs : hangs && passedMs < fullMs ? fullMs : Number.POSITIVE_INFINITY;
  const bytesNow = bytes + Math.round(script.bytes * passedMs * transfer.perMs);
  return { ...moment, ...place, progress, bytes: bytesNow, untilMs: Math.min(endMs, beginMs + nextMs) };
}

/** Offset at which the first importer's container starts. */
export function containerStartMs({ durations }: ImportScript): number {
  return durations.schedule * 1.5;
}

function* stretches(script: ImportScript): Generator<ImportStretch> {
  const { kind, durations, fault } = script;
  const blank: ImportStretch['moment'] = {
    pod: 0,
    container: 'none',
    podPhase: '',
    isSchedulable: true,
    running: { status: false, reason: '', message: '' },
    restarts: 0,
    hasScratch: kind === 'registry',
    downloads: 0,
    outcome: 'underway',
  };
  yield { lengthMs: durations.schedule / 2, moment: blank };
  const first = yield* start({ ...blank, pod: 1 }, script);
  if (fault?.at === 'connect') yield* crashLoop(first, fault);

  let moment = first;
  // A registry import gets scratch space from the start, a blank disk needs none: one pod each.
  if (kind !== 'registry' && kind !== 'blank') {
    yield { lengthMs: durations.validate, moment: first };
    const message = 'scratch space required and none found';
    const ended = {
      ...first,
      container: 'terminated',
      running: stopped('Scratch space required', message),
    } as const;
    yield { lengthMs: durations.schedule / 4, moment: ended };
    moment = yield* start({ ...ended, pod: 2, hasScratch: true }, script);
  }
  yield* transferred(script, moment);
}

/** From the pod's creation to its container running. */
function* start(
  moment: ImportStretch['moment'],
  { durations, fault }: ImportScript,
): Generator<ImportStretch, ImportStretch['moment']> {
  const pending = { ...moment, container: 'waiting', podPhase: 'Pending', running: stopped('ContainerCreating', '') } as const;
  const unplaced = { ...pending, isSchedulable: false, running: stopped('', '') };
  if (fault?.at === 'schedule') yield { lengthMs: Number.POSITIVE_INFINITY, moment: unplaced };
  yield { lengthMs: durations.schedule * unschedulableShare, moment: unplaced };
  yield { lengthMs: durations.schedule * (1 - unschedulableShare), moment: pending };
  if (fault?.at === 'container')
    yield {
      lengthMs: Number.POSITIVE_INFINITY,
      moment: { ...pending, running: stopped(fault.reason, fault.message) },
    };
  return {
    ...moment,
    container: 'running',
    podPhase: 'Running',
    running: { status: true, reason: 'Pod is running', message: '' },
  };
}

/** The container runs for a moment, fails, waits ever longer and starts again, without end. */
function* crashLoop(running: ImportStretch['moment'], fault: Fault & { at: 'connect' }): Generator<ImportStretch> {
  for (let restarts = 0; ; restarts++) {
    const at = { restarts, downloads: restarts + 1 };
    yield { lengthMs: shortRunMs, moment: { ...running, ...at } };
    yield {
      lengthMs: gapMs(restarts),
      moment: { ...running, ...at, container: 'terminated', running: stopped(fault.reason, fault.message(restarts)) },
    };
  }
}

function* transferred(script: ImportScript, running: ImportStretch['moment']): Generator<ImportStretch> {
  const { kind, durations, fault } = script;
  const lengthMs = kind === 'blank' ? durations.blank : durations.import;
  const perMs = lengthMs === 0 ? Number.POSITIVE_INFINITY : 1 / lengthMs;
  const whole = (moment: ImportStretch['moment']): ImportStretch => ({
    lengthMs,
    moment,
    ...(kind === 'blank' ? {} : { transfer: { to: 1, perMs: finite(perMs) } }),
  });
  const begun = { ...running, downloads: running.downloads + (kind === 'blank' ? 0 : 1) };

  if (fault?.at === 'stall')
    yield { lengthMs: Number.POSITIVE_INFINITY, moment: begun, transfer: { to: fault.percent / 100, perMs: finite(perMs) } };
  if (fault?.at === 'checksum') {
    yield whole(begun);
    yield {
      lengthMs: Number.POSITIVE_INFINITY,
      moment: {
        ...begun,
        container: 'terminated',
        podPhase: 'Failed',
        running: stopped('ChecksumError', fault.message),
        outcome: 'fatal',
      },
    };
  }
  let last = begun;
  if (fault?.at === 'transfer') last = yield* failing(begun, fault, lengthMs, perMs);
  if (fault?.at === 'oom') last = yield* killed(begun, script, fault.isForever, perMs);
  yield whole(last);
  yield {
    lengthMs: Number.POSITIVE_INFINITY,
    moment: {
      ...last,
      container: 'terminated',
      podPhase: 'Succeeded',
      running: stopped('Completed', 'Import Complete'),
      outcome: 'succeeded',
    },
  };
}

/** Each restart downloads from byte 0: CDI never resumes. */
function* failing(
  begun: ImportStretch['moment'],
  fault: Fault & { at: 'transfer' },
  lengthMs: number,
  perMs: number,
): Generator<ImportStretch, ImportStretch['moment']> {
  const times = fault.times ?? Number.POSITIVE_INFINITY;
  const runMs = Math.max(lengthMs * fault.fraction, shortRunMs / 4);
  for (let restarts = 0; restarts < times; restarts++) {
    const moment = { ...begun, restarts, downloads: begun.downloads + restarts };
    yield { lengthMs: runMs, moment, transfer: { to: fault.fraction, perMs: finite(perMs) } };
    yield {
      lengthMs: gapMs(restarts),
      moment: { ...moment, container: 'terminated', running: stopped(fault.reason, fault.message) },
    };
  }
  return { ...begun, restarts: times, downloads: begun.downloads + times };
}

/** CDI answers an OOM kill with a new pod that bypasses the page cache; restarts are not counted. */
function* killed(
  begun: ImportStretch['moment'],
  script: ImportScript,
  isForever: boolean,
  perMs: number,
): Generator<ImportStretch, ImportStretch['moment']> {
  let moment = begun;
  do {
    yield { lengthMs: script.durations.import / 2, moment, transfer: { to: 0.5, perMs: finite(perMs) } };
    const ended = { ...moment, container: 'terminated', running: stopped('OOMKilled', '') } as const;
    yield { lengthMs: Math.max(script.durations.schedule, shortRunMs), moment: ended };
    moment = { ...(yield* start({ ...ended, pod: moment.pod + 1 }, script)), downloads: moment.downloads + 1 };
  } while (isForever);
  return moment;
}

function stopped(reason: string, message: string): ImportMoment['running'] {
  return { status: false, reason, message };
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(2)}%`;
}

function gapMs(restarts: number): number {
  return restartGapsMs[restarts] ?? longestGapMs;
}

/** An instant transfer is one that is over within its first millisecond. */
function finite(perMs: number): number {
  return Number.isFinite(perMs) ? perMs : 1;
}
