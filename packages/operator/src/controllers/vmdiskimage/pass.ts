import { finalizers, type VMDiskImageStatus } from '@terrain/api';
import type { Happening, KubeObject, Logger } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
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

/** The image as it is after the status was stored, or held back for so many milliseconds. */
export interface Saved {
  readonly image: StoredImage;
  readonly heldMs: number;
}

/**
 * Stores the status of a decision, if it differs and cannot wait.
 *
 * What protects an image in use is in place before the status counts a reference: a machine that reads the count may rely on it.
 */
export async function saveStatus(pass: Pass, snapshot: Snapshot, decision: Decision, { isUrgent = false } = {}): Promise<Saved> {
  const { deps, hands } = pass;
  const status = statusOf(snapshot, decision);
  const heldMs = isUrgent ? 0 : heldBackMs(snapshot, decision, status);
  if (heldMs > 0) return { image: snapshot.image, heldMs };
  const guarded = await guard(pass, snapshot, status);
  const image = await hands.writeStatus(guarded, status);
  if (image.metadata.resourceVersion !== guarded.metadata.resourceVersion) {
    deps.intake.wrote(image);
    const happening = eventOf(snapshot, decision);
    if (happening !== undefined) deps.record(image, happening);
    deps.onStored?.(snapshot, decision, happening);
  }
  return { image: await unguard(pass, snapshot, image), heldMs: 0 };
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

async function unguard({ hands, deps, key }: Pass, snapshot: Snapshot, image: StoredImage): Promise<StoredImage> {
  const { namespace } = image.metadata;
  if (snapshot.references.count > 0 || image.metadata.finalizers?.includes(finalizers.imageInUse) !== true) return image;
  const freed = await hands.removeFinalizer(image, finalizers.imageInUse);
  const others = deps.informers.images.store.keysByIndex(inUseByNamespace, namespace).filter((other) => other !== key);
  if (others.length === 0 && snapshot.namespace.isMarkedInUse) await hands.markNamespace(namespace, false);
  return freed ?? image;
}
