/** What CDI says and does when the API server refuses an object it wants to make. */
import { type Effect, patchOf, type Refusal } from '../engine/decision.ts';
import type { Claim } from '../objects.ts';
import { instantOf, type Time } from '../time.ts';
import { cdiAnnotations } from './annotations.ts';
import { report } from './report.ts';
import { claimFacts, type StatusInput } from './status.ts';
import type { DataVolumeView } from './view.ts';

const firstRetryMs = 2000;
const longestRetryMs = 60_000;

/** When to try again; undefined when now is right. */
export function retryAt(refusal: Refusal | undefined, time: Time): number | undefined {
  if (refusal === undefined) return undefined;
  const atMs = instantOf(time, refusal.atMs, Math.min(firstRetryMs * 2 ** Math.min(refusal.count - 1, 10), longestRetryMs));
  return atMs !== undefined && atMs > time.nowMs ? atMs : undefined;
}

export function refusedStatus(refusal: Refusal): StatusInput {
  const isQuota = refusal.code === 403 && refusal.message.includes('exceeded quota');
  return { phase: 'Pending', reason: isQuota ? 'ErrExceededQuota' : 'ErrClaimNotValid', message: refusal.message };
}

export function quotaStatus(name: string): StatusInput {
  const message = `persistentvolumeclaims "${name}" is forbidden: exceeded quota: simulated, requested: requests.storage=1Gi, used: requests.storage=10Gi, limited: requests.storage=10Gi`;
  return { phase: 'Pending', reason: 'ErrExceededQuota', message };
}

/** The target exists but the temporary claim does not fit: the DataVolume waits, and only Bound tells why. */
export function reportRefusedPrime(view: DataVolumeView, claim: Claim, refusal: Refusal, time: Time): readonly Effect[] {
  const wanted = {
    [cdiAnnotations.bound]: 'false',
    [cdiAnnotations.boundReason]: 'ErrCreatingPVCPrime',
    [cdiAnnotations.boundMessage]: refusal.message,
  };
  const isKnown = claim.metadata.annotations?.[cdiAnnotations.boundMessage] === refusal.message;
  const effects: Effect[] = isKnown ? [] : [patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: wanted } })];
  return [...effects, ...report(view, { phase: 'Pending', claim: claimFacts(claim, wanted) }, time)];
}
