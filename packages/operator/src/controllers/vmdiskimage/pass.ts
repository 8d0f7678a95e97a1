import { finalizers, labels, type VMDiskImageStatus } from '@terrain/api';
import { ApiError, type Happening, type KubeObject, type Logger } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
import { shorten } from '#platform/failure.ts';
import { serverWords } from '#platform/refusal.ts';
import { eventOf } from './events.ts';
import { isGoing } from './facts.ts';
import type { Eyes, Hands } from './hands.ts';
import type { Intake } from './intake.ts';
import type { Memories } from './memory.ts';
import type { Needs } from './needs.ts';
import { inUseByNamespace, type ObserveSources } from './observe.ts';
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

/** So often it is tried to protect an image where that is refused. */
const unprotectedMs = 30_000;
/** Answers that are no refusal: unauthorized, gone, changed meanwhile, too many requests, no server behind the proxy. */
const passingAnswers: ReadonlySet<number> = new Set([401, 404, 409, 429, 503]);

/**
 * Stores the status of a decision, if it differs and cannot wait.
 *
 * What protects an image in use is in place before the status counts a reference: a machine that reads the count may rely on it. Where it is
 * refused, all but the count is stored: the end of an attempt must not wait for a webhook of somebody else's.
 */
export async function saveStatus(pass: Pass, snapshot: Snapshot, decision: Decision, { isUrgent = false } = {}): Promise<Saved> {
  const { deps, hands } = pass;
  const status = statusOf(snapshot, decision);
  const heldMs = isUrgent ? 0 : heldBackMs(snapshot, decision, status);
  if (heldMs > 0) return { image: snapshot.image, heldMs };
  const protection = await tryGuard(pass, snapshot, status);
  const guarded = protection.image;
  const image = await hands.writeStatus(guarded, protection.isRefused ? withFormerCount(status, snapshot.image) : status);
  if (image.metadata.resourceVersion !== guarded.metadata.resourceVersion) {
    deps.intake.wrote(image);
    const happening = eventOf(snapshot, decision);
    if (happening !== undefined) deps.record(image, happening);
    deps.onStored?.(snapshot, decision, happening);
  }
  return { image: await unguard(pass, snapshot, image), heldMs: protection.isRefused ? unprotectedMs : 0 };
}

interface Protection {
  readonly image: StoredImage;
  readonly isRefused: boolean;
}

async function tryGuard(pass: Pass, snapshot: Snapshot, status: VMDiskImageStatus): Promise<Protection> {
  try {
    return { image: await guard(pass, snapshot, status), isRefused: false };
  } catch (error) {
    if (!(error instanceof ApiError) || passingAnswers.has(error.code)) throw error;
    const { image } = snapshot;
    const words = shorten(serverWords(error));
    pass.deps.record(image, {
      type: 'Warning',
      reason: 'RefusedByPlatform',
      note: `cannot be protected while virtual machines refer to it: ${words}; new ones wait until the operator may put the label ${labels.imagesInUse} on Namespace ${image.metadata.namespace} and the finalizer ${finalizers.imageInUse} on the image`,
    });
    return { image, isRefused: true };
  }
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

async function guard(
  { hands }: Pass,
  { namespace, image }: Snapshot,
  { references = 0 }: VMDiskImageStatus,
): Promise<StoredImage> {
  if (references === 0 || isGoing(image) || namespace.isTerminating) return image;
  if (!namespace.isMarkedInUse) await hands.markNamespace(image.metadata.namespace, true);
  return hands.addFinalizer(image, finalizers.imageInUse);
}

async function unguard(pass: Pass, snapshot: Snapshot, image: StoredImage): Promise<StoredImage> {
  return snapshot.references.count > 0 ? image : unprotect(pass, snapshot, image);
}

/** Takes back what protected the image, and its namespace if no other image in it is in use. */
export async function unprotect({ hands, deps, key }: Pass, snapshot: Snapshot, image: StoredImage): Promise<StoredImage> {
  const { namespace, finalizers: held = [] } = image.metadata;
  if (!held.includes(finalizers.imageInUse)) return image;
  const others = deps.informers.images.store.keysByIndex(inUseByNamespace, namespace).filter((other) => other !== key);
  // Before the finalizer: it alone tells the next process, should this one die in between, that there is something to take back.
  if (others.length === 0 && snapshot.namespace.isMarkedInUse) await hands.markNamespace(namespace, false);
  return (await hands.removeFinalizer(image, finalizers.imageInUse)) ?? image;
}
