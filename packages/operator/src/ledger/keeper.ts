import { formatLedger, type Ledger, type LedgerEntry, parseLedger } from '@terrain/api';
import { type Clock, compareVersions, type Logger } from '@terrain/runtime';
import type { ConfigMap } from '#platform/core.ts';
import { isSamePolicy, type Policy, type PolicyTexts, policyOf } from '#policy/policy.ts';
import { SyncQueue, type Waiting } from '#queue/sync-queue.ts';
import type { LedgerPort } from './port.ts';
import { rebuildLedger, salvageLedger } from './rebuild.ts';
import { admit, applyChanges, isSameEntry, isSameLedger, type LedgerChange, roomIn } from './transition.ts';

export interface LedgerKeeperOptions {
  readonly port: LedgerPort;
  readonly clock: Clock;
  /** The API server's time. */
  readonly serverNow: () => number;
  readonly log: Logger;
  readonly random?: () => number;
  /** The entry of an image came, changed or went. */
  readonly onEntry: (imageKey: string) => void;
  /** Looks at an image live: as it waits now, or undefined when it does not wait any more. */
  readonly confirm: (waiting: Waiting, signal: AbortSignal) => Promise<Waiting | undefined>;
  /** The ledger has been read for the first time, and nobody has acted on it yet. */
  readonly onLoaded?: () => void;
  /** What is in force changed. */
  readonly onPolicy?: (policy: Policy, before: Policy) => void;
}

interface Pending {
  readonly change: LedgerChange;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const longestGatherMs = 150;
const gatherMsPerSlot = 1.5;
const firstRetryMs = 50;
const longestRetryMs = 5000;

/** The ledger cannot be used at the moment; the message says why and what to do. */
class LedgerUnreadableError extends Error {
  override readonly name = 'LedgerUnreadableError';
}

/**
 * The one writer of the ledger in this process.
 *
 * Guarantees: every write is based on the version it replaces, so two keepers cannot both win; what is pending goes into one write
 * together with the admissions it makes room for; an image is admitted only on a view of it that is newer than every foreign write of
 * the ledger. A ledger that is lost is made again from the downloads that run. A ledger of another version is never written.
 * Assumptions: changes name the attempt they are about, so that repeating one does no harm.
 */
export class LedgerKeeper {
  readonly queue = new SyncQueue();
  readonly #options: LedgerKeeperOptions;
  readonly #stop = new AbortController();
  readonly #loaded = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<void>();
  #object: ConfigMap | undefined;
  #ledger: Ledger | undefined;
  #policy: Policy = policyOf(new Map());
  #trouble = 'the ledger of running syncs has not been read yet';
  #pending: Pending[] = [];
  #isDirty = false;
  #isRunning = false;
  #isLoaded = false;
  #isPolicyFollowed = false;
  #isWriting = false;
  #seenMeanwhile: ConfigMap | 'gone' | undefined;
  #failures = 0;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #lastOwnVersion: string | undefined;
  /** Rises with every write of somebody else: what was known of images before may be out of date. */
  #epoch = 1;
  readonly #verified = new Map<string, number>();
  readonly #closingSince = new Map<string, number>();
  readonly #uidsOf = new Map<string, Set<string>>();
  #seqFloor = 0;

  constructor(options: LedgerKeeperOptions) {
    this.#options = options;
    for (const { promise } of [this.#loaded, this.#ready]) promise.catch(() => undefined);
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
    return this.#ready.promise;
  }

  /** The ledger as last known; undefined while it cannot be used. */
  get ledger(): Ledger | undefined {
    return this.#ledger;
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#policy;
  }

  /** Why the ledger cannot be used. */
  get trouble(): string {
    return this.#trouble;
  }

  entryOf(uid: string): LedgerEntry | undefined {
    return this.#ledger?.entries.get(uid);
  }

  /** Since when an entry is known to be closing, by the API server's clock. */
  closingSince(uid: string): number | undefined {
    return this.#closingSince.get(uid);
  }

  /** Entries of images of this name, of all lives of the name. */
  entriesOf(imageKey: string): [uid: string, entry: LedgerEntry][] {
    return [...(this.#uidsOf.get(imageKey) ?? [])].flatMap((uid) => {
      const entry = this.entryOf(uid);
      return entry === undefined ? [] : [[uid, entry]];
    });
  }

  /** Images in a namespace whose attempts are being cleared away. */
  closingImages(namespace: string): string[] {
    const found: string[] = [];
    for (const { image, state } of this.#ledger?.entries.values() ?? [])
      if (state === 'closing' && image.startsWith(`${namespace}/`)) found.push(image);
    return found;
  }

  /** Reads the ledger and begins to keep it. */
  start(): void {
    this.#nudge();
  }

  close(): void {
    this.#stop.abort(new Error('the ledger is not kept any more'));
    const error = new LedgerUnreadableError('this process is stopping');
    this.#loaded.reject(error);
    this.#ready.reject(error);
    this.#rejectAll(error);
  }

  /** The image was read or written at this moment with nobody else in between. */
  verified(uid: string): void {
    this.#verified.set(uid, this.#epoch);
  }

  /** The image waits for a slot. */
  wait(waiting: Waiting): void {
    if (this.entryOf(waiting.uid) !== undefined) return;
    this.queue.set(waiting);
    this.#nudge();
  }

  /** The image does not wait for a slot (any more). What was behind it may go on. */
  waitNoMore(uid: string): void {
    if (this.queue.remove(uid)) this.#nudge();
  }

  /** Nothing about this image has to be remembered. */
  forget(uid: string): void {
    this.waitNoMore(uid);
    this.#verified.delete(uid);
  }

  /** Carries out a change; resolves when the stored ledger shows it. */
  change(change: LedgerChange): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.reject(new LedgerUnreadableError('this process is stopping'));
    return new Promise((resolve, reject) => {
      this.#pending.push({ change, resolve, reject });
      this.#nudge();
    });
  }

  /** Puts other policy values in force, unless they are already, or newer ones are. */
  async setPolicy(texts: PolicyTexts, resourceVersion: string): Promise<void> {
    const ledger = this.#ledger;
    if (ledger !== undefined && isSamePolicy(ledger.policy, texts) && ledger.policyResourceVersion === resourceVersion) return;
    await this.change({ kind: 'policy', texts, resourceVersion });
  }

  /** The policy people have written is in force, or there is none. */
  policyFollowed(): void {
    this.#isPolicyFollowed = true;
    this.#ready.resolve();
    this.#nudge();
  }

  /** The ledger as the watch shows it; undefined when it is gone. */
  observed(object: ConfigMap | undefined): void {
    if (this.#isWriting) {
      // The event of our own write may come before its answer, and is no foreign write.
      this.#seenMeanwhile = object ?? 'gone';
      return;
    }
    if (object === undefined) {
      // A watch may be behind the ledger's creation; the live read that follows tells.
      this.#object = undefined;
      this.#nudge();
      return;
    }
    const isNews =
      this.#object === undefined || isNewer(object, this.#object) || object.metadata.uid !== this.#object.metadata.uid;
    if (!isNews) return;
    this.#take(object);
    this.#nudge();
  }

  #nudge(): void {
    this.#isDirty = true;
    if (this.#isRunning || this.#stop.signal.aborted) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    while (this.#isDirty && !signal.aborted) {
      try {
        const waitMs = this.#lastWriteAt + this.#gatherMs() - clock.monotonic();
        if (waitMs > 0) await clock.sleep(waitMs, signal);
        this.#isDirty = false;
        await this.#flush(signal);
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        // Whatever went wrong, also an answer that was lost: only a live read tells what the ledger is now.
        this.#object = undefined;
        this.#isDirty = true;
        const retryInMs =
          Math.min(firstRetryMs * 2 ** this.#failures++, longestRetryMs) * (0.5 + (this.#options.random ?? Math.random)() / 2);
        log.debug({ err: error, retryInMs }, 'the ledger could not be written');
        if (this.#failures > 5) log.warn({ err: error, retryInMs }, 'the ledger cannot be written; no sync starts meanwhile');
        await clock.sleep(retryInMs, signal).catch(() => undefined);
      }
    }
    this.#isRunning = false;
  }

  /** With many slots several ends share one write; with few each is served at once. */
  #gatherMs(): number {
    return Math.min(longestGatherMs, gatherMsPerSlot * (this.#ledger?.limit ?? 0));
  }

  async #flush(signal: AbortSignal): Promise<void> {
    const { serverNow } = this.#options;
    if (this.#object === undefined) await this.#load(signal);
    const object = this.#object;
    const ledger = this.#ledger;
    if (object === undefined || ledger === undefined) {
      this.#rejectAll(new LedgerUnreadableError(this.#trouble));
      return;
    }
    const pending = [...this.#pending];
    const since = new Date(serverNow()).toISOString();
    const changed = applyChanges(
      ledger,
      pending.map(({ change }) => change),
      since,
    );
    const chosen = await this.#choose(changed, signal);
    // While images were looked at, the ledger may have changed: begin again from what it is.
    if (this.#object !== object) {
      this.#isDirty = true;
      return;
    }
    const next = admit(changed, chosen, since, this.#seqFloor);
    if (!isSameLedger(next, ledger)) await this.#write(object, next, signal);
    const done = new Set(pending);
    this.#pending = this.#pending.filter((one) => !done.has(one));
    for (const { resolve } of pending) resolve();
    // A limit that had to follow what was found running goes back with the next write.
    if (next.limit !== this.#policy.concurrency || this.#pending.length > 0) this.#isDirty = true;
  }

  /** The first images there is room for, each looked at live if somebody else has written the ledger since it was last seen. */
  async #choose(ledger: Ledger, signal: AbortSignal): Promise<readonly Waiting[]> {
    const room = roomIn(ledger);
    for (;;) {
      // A ledger that was just made, by whomever, knows only the defaults.
      const isPolicyKnown = this.#isPolicyFollowed && ledger.policyResourceVersion !== undefined;
      if (room.count === 0 || !isPolicyKnown) return [];
      const chosen = this.queue.choose(room);
      const taken = chosen.filter(({ uid }) => ledger.entries.has(uid));
      for (const { uid } of taken) this.queue.remove(uid);
      const doubtful = chosen.filter(({ uid }) => !ledger.entries.has(uid) && this.#verified.get(uid) !== this.#epoch);
      if (doubtful.length === 0 && taken.length === 0) return chosen;
      const epoch = this.#epoch;
      await Promise.all(
        doubtful.map(async (waiting) => {
          const confirmed = await this.#options.confirm(waiting, signal);
          if (confirmed === undefined) this.queue.remove(waiting.uid);
          else {
            this.queue.set(confirmed);
            this.#verified.set(waiting.uid, epoch);
          }
        }),
      );
    }
  }

  async #write(object: ConfigMap, next: Ledger, signal: AbortSignal): Promise<void> {
    this.#lastWriteAt = this.#options.clock.monotonic();
    this.#isWriting = true;
    try {
      const answer = await this.#options.port.replace({ ...object, data: formatLedger(next) }, signal);
      this.#lastOwnVersion = answer.metadata.resourceVersion;
      this.#take(answer);
    } finally {
      this.#isWriting = false;
      const seen = this.#seenMeanwhile;
      this.#seenMeanwhile = undefined;
      if (seen !== undefined) this.observed(seen === 'gone' ? undefined : seen);
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { port, log } = this.#options;
    const found = await port.read(signal);
    if (found === undefined) {
      const running = await port.runningImports(signal);
      log.warn({ running: running.length }, 'there is no ledger of running syncs: it is made again from the downloads that run');
      this.#take(await port.create(formatLedger(rebuildLedger(running, undefined, this.#ledger?.policy)), signal));
      return;
    }
    const reading = parseLedger(found.data);
    if (reading.kind !== 'damaged') {
      this.#take(found);
      return;
    }
    const running = await port.runningImports(signal);
    log.warn(
      { problems: reading.problems },
      'the ledger of running syncs was damaged by hand: what can be read is kept, the rest found by a list',
    );
    // What was in force stays in force: the defaults might admit, or remove, what the policy forbids.
    const repaired = rebuildLedger(running, salvageLedger(found.data), this.#ledger?.policy);
    // The API server takes added entries only within the limit; the next write puts the limit in force again.
    const limit = Math.max(repaired.limit, repaired.entries.size);
    this.#take(await port.replace({ ...found, data: formatLedger({ ...repaired, limit }) }, signal));
    this.#isDirty = true;
  }

  /** Takes a version of the stored ledger as the present one. */
  #take(object: ConfigMap): void {
    const reading = parseLedger(object.data);
    if (reading.kind === 'damaged') {
      // Seen by the watch: the live read that follows repairs it.
      this.#object = undefined;
      return;
    }
    if (object.metadata.resourceVersion !== this.#lastOwnVersion) this.#epoch++;
    this.#object = object;
    const before = this.#ledger;
    if (reading.kind === 'unknownSchema') {
      this.#ledger = undefined;
      this.#trouble = reading.message;
      this.#settle();
      return;
    }
    const { ledger } = reading;
    this.#ledger = ledger;
    this.#seqFloor = Math.max(this.#seqFloor, ledger.seq);
    if (before === undefined || !isSamePolicy(before.policy, ledger.policy)) {
      const former = this.#policy;
      this.#policy = policyOf(ledger.policy);
      if (this.#isPolicyFollowed) this.#options.onPolicy?.(this.#policy, former);
    }
    this.#tellEntries(before?.entries ?? new Map(), ledger.entries);
    this.#settle();
  }

  #settle(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#options.onLoaded?.();
    this.#loaded.resolve();
  }

  #tellEntries(before: Ledger['entries'], after: Ledger['entries']): void {
    const { serverNow, onEntry } = this.#options;
    const told = new Set<string>();
    for (const [uid, entry] of after) {
      if (isSameEntry(before.get(uid), entry)) continue;
      this.queue.remove(uid);
      let uids = this.#uidsOf.get(entry.image);
      if (uids === undefined) {
        uids = new Set();
        this.#uidsOf.set(entry.image, uids);
      }
      uids.add(uid);
      if (entry.state === 'closing' && !this.#closingSince.has(uid)) this.#closingSince.set(uid, serverNow());
      if (entry.state === 'open') this.#closingSince.delete(uid);
      told.add(entry.image);
    }
    for (const [uid, entry] of before) {
      if (after.has(uid)) continue;
      this.#closingSince.delete(uid);
      const uids = this.#uidsOf.get(entry.image);
      uids?.delete(uid);
      if (uids?.size === 0) this.#uidsOf.delete(entry.image);
      told.add(entry.image);
    }
    for (const image of told) onEntry(image);
  }

  #rejectAll(error: Error): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(error);
  }
}

function isNewer(a: ConfigMap, b: ConfigMap): boolean {
  return compareVersions(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '') > 0;
}
