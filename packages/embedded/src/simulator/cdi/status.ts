import { isDeepStrictEqual } from 'node:util';
import type { Claim, DataVolume, DataVolumeCondition, DataVolumeStatus } from '../objects.ts';
import { timestamp } from '../time.ts';
import { type Annotations, cdiAnnotations } from './annotations.ts';

/** A claim as the status is told from it: its annotations may be ones that are just being written. */
export interface ClaimFacts {
  readonly name: string;
  readonly phase: string;
  readonly annotations: Annotations;
}

export function claimFacts(claim: Claim, changes: Readonly<Record<string, string | null>> = {}): ClaimFacts {
  const annotations: Record<string, string> = { ...claim.metadata.annotations };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete annotations[name];
    else annotations[name] = value;
  }
  return { name: claim.metadata.name, phase: claim.status?.phase ?? 'Pending', annotations };
}

export interface StatusInput {
  readonly phase: string;
  readonly claim?: ClaimFacts;
  /** What Bound and Ready say while there is no claim. */
  readonly reason?: string;
  readonly message?: string;
}

/** The status CDI would write, or undefined when it is what is there already. */
export function dataVolumeStatus(dataVolume: DataVolume, input: StatusInput, nowMs: number): DataVolumeStatus | undefined {
  const current = dataVolume.status ?? {};
  const { claim, phase } = input;
  const restarts = Number(claim?.annotations[cdiAnnotations.podRestarts] ?? Number.NaN);
  const progress = progressOf(current, input);
  const next: DataVolumeStatus = {
    ...current,
    phase,
    ...(claim === undefined ? {} : { claimName: claim.name }),
    ...(progress === undefined ? {} : { progress }),
    ...(Number.isInteger(restarts) && restarts > 0 ? { restartCount: restarts } : {}),
    conditions: conditionsOf(current.conditions ?? [], input, nowMs),
  };
  return isDeepStrictEqual(next, current) ? undefined : next;
}

function progressOf(current: DataVolumeStatus, { claim, phase }: StatusInput): string | undefined {
  if (claim === undefined) return current.progress;
  if (phase === 'Succeeded') return '100.0%';
  return claim.annotations[cdiAnnotations.progress] ?? 'N/A';
}

/** Port of pkg/controller/datavolume/conditions.go: Bound first, then Ready, then Running, which may take Ready back. */
function conditionsOf(current: readonly DataVolumeCondition[], input: StatusInput, nowMs: number): DataVolumeCondition[] {
  const { claim, phase, reason = '', message = '' } = input;
  const running = runningOf(claim?.annotations ?? {});
  const readyStatus = phase === 'Succeeded' ? 'True' : phase === 'Unknown' ? 'Unknown' : 'False';
  const ready =
    running.status === 'True'
      ? { status: 'False', reason: 'TransferRunning', message: '' }
      : { status: readyStatus, reason, message };
  const wanted: readonly [string, Verdict][] = [
    ['Bound', boundOf(claim, reason, message)],
    ['Ready', ready],
    ['Running', running],
  ];
  return wanted.map(([type, verdict]) =>
    updated(
      current.find((condition) => condition.type === type),
      type,
      verdict,
      nowMs,
    ),
  );
}

interface Verdict {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function boundOf(claim: ClaimFacts | undefined, reason: string, message: string): Verdict {
  if (claim === undefined) return { status: 'False', reason: reason || 'NotFound', message: message || 'No PVC found' };
  const { name, phase, annotations } = claim;
  const told = annotations[cdiAnnotations.bound];
  const said = { reason: annotations[cdiAnnotations.boundReason] ?? '', message: annotations[cdiAnnotations.boundMessage] ?? '' };
  if (phase === 'Lost') return { status: 'False', reason: 'ClaimLost', message: 'Claim Lost' };
  if (phase === 'Bound') return { status: 'True', reason: 'Bound', message: `PVC ${name} Bound` };
  if (told === undefined) return { status: 'False', reason: 'Pending', message: `PVC ${name} Pending` };
  const prime = annotations[cdiAnnotations.primeName];
  return {
    status: 'False',
    reason: said.reason,
    message: `target PVC ${name} Pending and ${prime === undefined ? '' : `[${prime}] : `}${said.message}`,
  };
}

function runningOf(annotations: Annotations): Verdict {
  if (annotations[cdiAnnotations.podSchedulable] === 'false')
    return { status: 'False', reason: 'Unschedulable', message: 'Importer pod cannot be scheduled' };
  const said = {
    reason: annotations[cdiAnnotations.runningReason] ?? '',
    message: annotations[cdiAnnotations.runningMessage] ?? '',
  };
  return { status: annotations[cdiAnnotations.running] === 'true' ? 'True' : 'False', ...said };
}

function updated(current: DataVolumeCondition | undefined, type: string, verdict: Verdict, nowMs: number): DataVolumeCondition {
  const now = timestamp(nowMs);
  const { status, reason, message } = verdict;
  // CDI leaves empty texts out, so a condition may have neither reason nor message.
  const said = { type, status, ...(reason === '' ? {} : { reason }), ...(message === '' ? {} : { message }) };
  if (current?.status !== status) return { ...said, lastTransitionTime: now, lastHeartbeatTime: now };
  if ((current.reason ?? '') === reason && (current.message ?? '') === message) return current;
  return { ...said, lastTransitionTime: current.lastTransitionTime ?? now, lastHeartbeatTime: now };
}
