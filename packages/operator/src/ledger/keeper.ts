import type { Ledger, LedgerEntry } from '@terrain/api';
import type { Clock, Logger } from '@terrain/runtime';
import type { ConfigMap } from '#platform/core.ts';
import type { Policy, PolicyTexts } from '#policy/policy.ts';
import type { SyncQueue, Waiting } from '#queue/sync-queue.ts';
import { Admission, type Confirm, type StillWaits } from './admission.ts';
import { FollowedPolicy } from './followed-policy.ts';
import { KnownLedger } from './known-ledger.ts';
import { PendingChanges } from './pending-changes.ts';
import type { LedgerPort } from './port.ts';
import { StoredLedger } from './stored-ledger.ts';
import { type Suspect, Suspects } from './suspects.ts';
import { admit, applyChanges, freeSlots, isSameLedger, type LedgerChange } from './transition.ts';
import { WriteLoop } from './write-loop.ts';

export interface LedgerKeeperOptions {
  readonly port: LedgerPort;
  readonly clock: Clock;
  /** The API server's time. */
  readonly serverNow: () => number;
  readonly log: Logger;
  readonly random?: () => number;
  /** The entry of an image came or changed, or went and leaves something to do. */
  readonly onEntry: (imageKey: string) => void;
  readonly confirm: Confirm;
  readonly stillWaits: StillWaits;
  /** The ledger has been read for the first time, and nobody has acted on it yet. */
  readonly onLoaded?: () => void;
  /** What is in force changed. */
  readonly onPolicy?: (policy: Policy, before: Policy) => void;
  /** The ledger cannot be used any more, or can be used again: who waits for a slot waits for something else. */
  readonly onUsable?: () => void;
}

const longestGatherMs = 700;
const gatherMsPerSlotSquared = 0.07;

/** The ledger cannot be used at the moment; the message says why and what to do. */
class LedgerUnreadableError extends Error {
  override readonly name = 'LedgerUnreadableError';
}

/**
 * The one writer of the ledger in this process.
 *
 * Guarantees: every write is based on the version it replaces, so two keepers cannot both win; what is pending goes into one write
 * together with the admissions it makes room for. A ledger that is lost is made again from the downloads that run. A ledger of another
 * version is never written.
 * Assumptions: changes name the attempt they are about, so that repeating one does no harm.
 */
export class LedgerKeeper {
  readonly #options: LedgerKeeperOptions;
  readonly #loop: WriteLoop;
  readonly #admission: Admission;
  readonly #known: KnownLedger;
  readonly #stored: StoredLedger;
  readonly #suspects: Suspects;
  readonly #pending = new PendingChanges();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #followed = new FollowedPolicy();
  #isLoaded = false;
  #onReleased: (imageKey: string) => boolean = () => true;

  constructor(options: LedgerKeeperOptions) {
    this.#options = options;
    this.#admission = new Admission(options.confirm, options.stillWaits);
    this.#suspects = new Suspects(options.port.isRunning);
    this.#known = new KnownLedger({
      ...options,
      onGone: (uid, entry) => {
        if (!this.#stored.isOwn) this.#suspects.add(uid, entry);
        if (this.#onReleased(entry.image)) options.onEntry(entry.image);
      },
      onHeld: (uid) => void this.queue.remove(uid),
      onPolicy: (policy, before) => {
        if (this.#followed.isFollowed) options.onPolicy?.(policy, before);
      },
      onUsable: () => options.onUsable?.(),
    });
    this.#stored = new StoredLedger({
      ...options,
      known: this.#known,
      onForeign: () => this.#admission.doubtAll(),
      onTaken: () => this.#settle(),
      onNews: () => this.#loop.nudge(),
    });
    this.#loop = new WriteLoop({
      ...options,
      // With few slots each end is served at once. With many, several share a write: the more there are, the more of them end within the same time,
      // and the less it matters that one is empty for that time.
      gatherMs: () => Math.min(longestGatherMs, gatherMsPerSlotSquared * (this.ledger?.limit ?? 0) ** 2),
      flush: (signal) => this.#flush(signal),
      // Whatever went wrong, also an answer that was lost: only a live read tells what the ledger is now.
      onFailure: () => this.#known.doubt(),
    });
    this.#loaded.promise.catch(() => undefined);
  }

  /** Images that wait for a slot. */
  get queue(): SyncQueue {
    return this.#admission.queue;
  }

  /** Resolves when the ledger has been read for the first time. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /**
   * Resolves when the ledger holds the policy people have written. Before that nothing is admitted and nobody should act: a ledger
   * that is new knows only the defaults, and would start, or remove, what the policy forbids.
   */
  get ready(): Promise<void> {
    return this.#followed.ready;
  }

  /** The ledger as last known; undefined while it cannot be used. */
  get ledger(): Ledger | undefined {
    return this.#known.ledger;
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#known.policy;
  }

  /** Why the ledger cannot be used. */
  get trouble(): string {
    return this.#known.trouble;
  }

  entryOf(uid: string): LedgerEntry | undefined {
    return this.#known.entryOf(uid);
  }

  /** For how many milliseconds an entry is known to be closing. */
  closingForMs(uid: string): number {
    return this.#known.closingForMs(uid);
  }

  /** Entries of images of this name, of all lives of the name. */
  entriesOf(imageKey: string): [uid: string, entry: LedgerEntry][] {
    return this.#known.entriesOf(imageKey);
  }

  /** Images in a namespace whose attempts are being cleared away. */
  closingImages(namespace: string): string[] {
    return this.#known.closingImages(namespace);
  }

  /** Reads the ledger and begins to keep it. */
  start(): void {
    this.#loop.nudge();
  }

  close(): void {
    this.#loop.close();
    const error = new LedgerUnreadableError('this process is stopping');
    this.#loaded.reject(error);
    this.#followed.close(error);
    this.#pending.rejectAll(error);
  }

  /**
   * Who is told, before anybody else is admitted, that an image holds no slot any more: it may have to take its place in the queue. False when
   * there is nothing to do for it.
   */
  whenReleased(listener: (imageKey: string) => boolean): void {
    this.#onReleased = listener;
  }

  /** The image was read or written at this moment with nobody else in between. */
  verified(uid: string): void {
    this.#admission.verified(uid);
  }

  /** The image waits for a slot. */
  wait(waiting: Waiting): void {
    if (this.entryOf(waiting.uid) !== undefined) return;
    this.queue.set(waiting);
    this.#loop.nudge();
  }

  /** Whether there is room for all who wait, this image among them, so that a write on its way or about to go admits it. */
  expects(uid: string): boolean {
    const { ledger } = this;
    if (ledger?.policyResourceVersion === undefined || !this.#followed.isFollowed) return false;
    const isOpenToAll = this.policy.namespaceShare === 'off' && this.queue.size <= freeSlots(ledger);
    return isOpenToAll && this.queue.get(uid)?.isSettled === true;
  }

  /** The image does not wait for a slot (any more). What was behind it may go on. */
  waitNoMore(uid: string): void {
    if (this.queue.remove(uid)) this.#loop.nudge();
  }

  /** Nothing about this image has to be remembered. */
  forget(uid: string): void {
    this.waitNoMore(uid);
    this.#admission.forget(uid);
  }

  /** An attempt that seems to run without an entry: nobody is admitted before that has been looked at. */
  suspect(uid: string, suspect: Suspect): void {
    if (this.entryOf(uid) !== undefined) return;
    this.#suspects.add(uid, suspect);
    this.#loop.nudge();
  }

  /** Carries out a change; resolves when the stored ledger shows it. */
  change(change: LedgerChange): Promise<void> {
    if (this.#loop.isClosed) return Promise.reject(new LedgerUnreadableError('this process is stopping'));
    const done = this.#pending.add(change);
    this.#loop.nudge();
    return done;
  }

  /** Puts other policy values in force, unless they are already, or newer ones are. */
  async setPolicy(texts: PolicyTexts, resourceVersion: string): Promise<void> {
    const change = this.#followed.told(texts, resourceVersion, this.ledger);
    if (change !== undefined) await this.change(change);
  }

  /** The policy people have written is in force, or there is none. */
  policyFollowed(): void {
    this.#followed.follow();
    this.#loop.nudge();
  }

  /** The ledger as the watch shows it; undefined when it is gone. */
  observed(object: ConfigMap | undefined): void {
    this.#stored.observed(object);
  }

  async #flush(signal: AbortSignal): Promise<void> {
    if (this.#known.object === undefined && (await this.#stored.load(signal))) this.#loop.nudge();
    const { object, ledger, trouble, highestSeq } = this.#known;
    if (object === undefined || ledger === undefined) {
      this.#pending.rejectAll(new LedgerUnreadableError(trouble));
      return;
    }
    const { changes, done } = this.#pending.take();
    const since = new Date(this.#options.serverNow()).toISOString();
    const repairs = [...this.#followed.repairOf(ledger), ...(await this.#suspects.judge(ledger, signal))];
    const changed = applyChanges(ledger, [...changes, ...repairs], since);
    // A ledger that was just made, by whomever, knows only the defaults.
    const isPolicyKnown = this.#followed.isFollowed && changed.policyResourceVersion !== undefined;
    const chosen = isPolicyKnown ? await this.#admission.choose(changed, signal) : [];
    // While images were looked at, the ledger may have changed: begin again from what it is.
    if (this.#known.object !== object) {
      this.#loop.nudge();
      return;
    }
    const next = admit(changed, chosen, since, highestSeq);
    if (!isSameLedger(next, ledger)) {
      this.#loop.wrote();
      await this.#stored.replace(object, next, signal);
    }
    done();
    // A limit that had to follow what was found running goes back with the next write.
    if (next.limit !== this.policy.concurrency || this.#pending.size > 0) this.#loop.nudge();
  }

  #settle(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#options.onLoaded?.();
    this.#loaded.resolve();
  }
}
