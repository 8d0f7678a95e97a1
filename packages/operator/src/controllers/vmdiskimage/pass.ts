import type { VMDiskImageStatus } from '@terrain/api';
import type { Happening, KubeObject, Logger } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
import { refusedMs } from '#platform/refusal.ts';
import { eventOf } from './events.ts';
import type { Eyes, Hands } from './hands.ts';
import type { Intake } from './intake.ts';
import type { Memories } from './memory.ts';
import type { NamespaceUse } from './namespace-use.ts';
import type { Needs } from './needs.ts';
import type { ObserveSources } from './observe.ts';
import { protect, unprotect } from './protection.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';
import { heldBackMs, statusOf } from './status.ts';
import type { Decision } from './step.ts';

/** Told once for each status that is stored. */
export type StoredHandler = (snapshot: Snapshot, decision: Decision, happening: Happening | undefined) => void;

/** What every pass shares. */
export interface Deps extends ObserveSources {
  readonly eyes: Eyes;
  readonly intake: Intake;
  readonly keeper: LedgerKeeper;
  readonly memories: Memories;
  readonly needs: Needs;
  readonly namespaceUse: NamespaceUse;
  /** Waits `ms`, for retries within a pass. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly record: (object: KubeObject, happening: Happening) => void;
  /** The status of a decision was stored, with the event it is worth. */
  readonly onStored?: StoredHandler;
  /** Notes that the image waits for something cluster-wide (a class, a kind), or that it does not. */
  readonly awaitPlatform: (key: string, isWaiting: boolean) => void;
}

/** One look at one image, with the means to act on it. */
export interface Pass {
  readonly deps: Deps;
  readonly key: string;
  readonly hands: Hands;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The image as it is after the status was stored; what of it was held back can be stored after so many milliseconds. */
export interface Saved {
  readonly image: StoredImage;
  readonly heldMs: number;
}

/**
 * Stores the status of a decision, if it differs and cannot wait.
 *
 * What protects an image in use is in place before the status counts a reference: a machine that reads the count may rely on it. Where it is
 * refused, all but the count is stored, and where it may not be taken back, it stays: the end of an attempt must not wait for a webhook of somebody
 * else's.
 */
export async function saveStatus(pass: Pass, snapshot: Snapshot, decision: Decision, { isUrgent = false } = {}): Promise<Saved> {
  const { deps, hands } = pass;
  const status = statusOf(snapshot, decision);
  const heldMs = isUrgent ? 0 : heldBackMs(snapshot, decision, status);
  if (heldMs > 0) return { image: snapshot.image, heldMs };
  const isReferred = (status.references ?? 0) > 0;
  const before = isReferred ? await protect(pass, snapshot) : { image: snapshot.image, refusal: undefined };
  const isCounted = before.refusal === undefined;
  const stored = await hands.writeStatus(before.image, isCounted ? status : withFormerCount(status, snapshot.image));
  if (stored.metadata.resourceVersion !== before.image.metadata.resourceVersion) {
    deps.intake.wrote(stored);
    const happening = eventOf(snapshot, decision);
    if (happening !== undefined) deps.record(stored, happening);
    deps.onStored?.(snapshot, decision, happening);
  }
  const isLetGo = snapshot.references.count === 0;
  const { image, refusal } = isLetGo ? await unprotect(pass, snapshot, stored) : { image: stored, refusal: undefined };
  return { image, heldMs: isCounted && refusal === undefined ? 0 : refusedMs };
}

/** A machine that is not counted yet waits; those that were counted stay so. */
function withFormerCount(status: VMDiskImageStatus, { status: before = {} }: StoredImage): VMDiskImageStatus {
  const { references: _count, referencedBy: _names, referencesAsOf: _asOf, unreferencedSince: _since, ...rest } = status;
  const { references, referencedBy, referencesAsOf, unreferencedSince } = before;
  return {
    ...rest,
    ...(references === undefined ? {} : { references }),
    ...(referencedBy === undefined ? {} : { referencedBy }),
    ...(referencesAsOf === undefined ? {} : { referencesAsOf }),
    ...(unreferencedSince === undefined ? {} : { unreferencedSince }),
  };
}
