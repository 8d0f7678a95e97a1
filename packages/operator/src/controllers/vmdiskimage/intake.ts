import type { VMDiskImage } from '@terrain/api';
import { type Change, compareVersions } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
import type { Waiting } from '#queue/sync-queue.ts';
import { decide } from './decide.ts';
import { garbageOf } from './garbage.ts';
import type { Eyes } from './hands.ts';
import { type ObserveSources, observe } from './observe.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

export interface IntakeOptions {
  readonly sources: ObserveSources;
  readonly eyes: Eyes;
  readonly keeper: LedgerKeeper;
  /** The image is gone. */
  readonly onGone: (key: string, uid: string) => void;
  /** The image does not wait for a slot any more, and has to say what it waits for instead. */
  readonly wake: (key: string) => void;
}

/**
 * Keeps the queue true to the images, at the moment their changes are told and not when a worker gets to them: otherwise an image that
 * a worker happened to take first could overtake one that was told of before.
 *
 * Guarantees: a version of an image older than what this process wrote or read of it never leads to a place in the queue, however late
 * a watch delivers it; nor does what was decided or read of an image that has gone meanwhile, whose place nobody would ever take from it.
 */
export class Intake {
  readonly #options: IntakeOptions;
  /** Versions this process knows of and the cache has not shown yet, by UID. */
  readonly #newest = new Map<string, string>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    options.keeper.whenReleased((key) => this.reconsider(key));
  }

  /** An image came, changed or went. */
  changed(change: Change<VMDiskImage>): void {
    if (change.type === 'deleted') {
      const { uid = '' } = change.old.metadata;
      this.#newest.delete(uid);
      this.#options.keeper.forget(uid);
      this.#options.onGone(change.key, uid);
      return;
    }
    const image = change.new as StoredImage;
    if (this.#isOutdated(image)) return;
    this.#newest.delete(image.metadata.uid);
    const { keeper, wake } = this.#options;
    const didWait = keeper.queue.get(image.metadata.uid) !== undefined;
    const step = this.#judge(change.key, image)?.decision.step;
    const isMaybeEcho = change.type === 'updated' && change.old.metadata.generation === image.metadata.generation;
    if (step === undefined || !isMaybeEcho) return;
    // The echo of its own status wakes nobody. By then a class or a Secret may have gone: a pass reads it, or says what is waited for instead.
    if (step.kind === 'queue' ? !step.waiting.isSettled : didWait) wake(change.key);
  }

  /** This process wrote the image, or read it live. */
  wrote({ metadata }: StoredImage): void {
    if (!this.#isKnown(`${metadata.namespace}/${metadata.name}`, metadata.uid)) return;
    this.#newest.set(metadata.uid, metadata.resourceVersion);
    this.#options.keeper.verified(metadata.uid);
  }

  /** A pass has decided about the image. */
  decided(key: string, uid: string, step: Step): void {
    if (step.kind === 'adopt') this.#options.keeper.suspect(uid, { image: key, attempt: step.attempt.number, state: 'open' });
    if (step.kind === 'queue' && this.#isKnown(key, uid)) this.#options.keeper.wait(step.waiting);
    else this.#options.keeper.waitNoMore(uid);
  }

  /** A pass has failed. An image of which is still not known whether it may start holds up nobody until the next pass tells. */
  failed(key: string): void {
    const { keeper, sources } = this.#options;
    const uid = sources.informers.images.store.get(key)?.metadata.uid ?? '';
    if (keeper.queue.get(uid)?.isSettled === false) keeper.waitNoMore(uid);
  }

  /** An image as it waits now, by a live read. */
  async confirm({ key, uid }: Waiting, signal: AbortSignal): Promise<Waiting | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const live = await this.#options.eyes.image(namespace, name, signal);
    if (live === undefined || live.metadata.uid !== uid || !this.#isKnown(key, uid)) return undefined;
    this.#newest.set(uid, live.metadata.resourceVersion);
    const snapshot = observe(this.#options.sources, key, live);
    const step = snapshot === undefined ? undefined : decide(snapshot).step;
    // A pass reads what has to be known, or says what is waited for instead.
    if (step?.kind !== 'queue' || !step.waiting.isSettled) this.#options.wake(key);
    return step?.kind === 'queue' ? step.waiting : undefined;
  }

  /**
   * Whether an image still waits for a slot, by what the caches show at this moment: a class that went, or a Secret that another image missed,
   * wakes nobody who stands in the queue.
   */
  stillWaits({ key, uid }: Waiting): boolean {
    const { sources, wake } = this.#options;
    const image = sources.informers.images.store.get(key) as StoredImage | undefined;
    // What is newer than the cache was looked at when it was written or read.
    if (image === undefined || image.metadata.uid !== uid || this.#isOutdated(image)) return true;
    const snapshot = observe(sources, key, image);
    if (snapshot === undefined || decide(snapshot).step.kind === 'queue') return true;
    wake(key);
    return false;
  }

  /**
   * An image whose slot is free again, or that waited for something which is there now, may wait for the next slot: it takes its place now, not
   * when a worker gets to it. Whether there is anything to do for a worker at all.
   */
  reconsider(key: string): boolean {
    const image = this.#options.sources.informers.images.store.get(key) as StoredImage | undefined;
    if (image === undefined || this.#isOutdated(image)) return true;
    const judged = this.#judge(key, image);
    return judged === undefined || !isAtRest(judged.snapshot, judged.decision);
  }

  /** Whether the image has not gone, as far as has been told: of that it is told once, and maybe while something else is waited for. */
  #isKnown(key: string, uid: string): boolean {
    return this.#options.sources.informers.images.store.get(key)?.metadata.uid === uid;
  }

  #isOutdated({ metadata }: StoredImage): boolean {
    const newest = this.#newest.get(metadata.uid);
    return newest !== undefined && compareVersions(metadata.resourceVersion, newest) < 0;
  }

  #judge(key: string, image: StoredImage): { readonly snapshot: Snapshot; readonly decision: Decision } | undefined {
    const { keeper, sources } = this.#options;
    const { uid } = image.metadata;
    // Who holds a slot waits for none, whatever else is true of it; when it lets go, it is looked at again.
    if (keeper.entryOf(uid) !== undefined) {
      keeper.waitNoMore(uid);
      return undefined;
    }
    const snapshot = observe(sources, key, image);
    if (snapshot === undefined) return undefined;
    const decision = decide(snapshot);
    this.decided(key, uid, decision.step);
    return { snapshot, decision };
  }
}

/** Whether a pass would find nothing to do. */
function isAtRest(snapshot: Snapshot, { step, record }: Decision): boolean {
  if (step.kind !== 'steady') return false;
  const { snapshots, dataVolumes, strays } = garbageOf(snapshot, record);
  return snapshots.length + dataVolumes.length + strays.length === 0;
}
