import { randomUUID } from 'node:crypto';
import { AppliedMemory } from '#apply/applied-memory.ts';
import { Writer } from '#apply/writer.ts';
import { Deadlines } from '#clock/deadlines.ts';
import type { ChangeContext, Informer } from '#informer/informer.ts';
import type { Logger } from '#log/logger.ts';
import { FailureLimiter } from '#queue/failure-limiter.ts';
import { type Priority, WorkQueue } from '#queue/work-queue.ts';
import { keyOf, parseKey } from '#store/key.ts';
import type { Change } from '#store/store.ts';
import { isConflict } from '#transport/api-error.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ControllerOptions, KeysOf, Outcome, SourceOptions } from './options.ts';
import { waitAfter } from './outage.ts';
import { OwnWrites } from './own-writes.ts';
import { ownerKeys } from './owner.ts';
import { type Result, TerminalError } from './result.ts';

/** Made once: no pass has to pay for the stack of an error that hardly anybody reads. */
const passEnded = new Error('the pass has ended, and with it all it left running');

/** An event that came while its key was in a pass: whether it is an echo is known when the pass has ended. */
interface Stashed {
  readonly object: KubeObject;
  readonly canBeEcho: boolean;
  readonly priority: Priority;
  readonly waitMs: number;
}

/**
 * Turns changes into passes of a reconcile function, one key at a time.
 *
 * Guarantees: a key is never in two passes at once; a change during a pass leads to another pass after it; a pass never sees a cache older than
 * the key's own last writes; the events of these writes alone lead to no pass; a throw leads to a retry after a growing wait (at least as long as
 * the server asked for, and seconds at most while there is no server), a TerminalError to none until something changes.
 * Assumptions: reconcile is level-based: it reads all it needs and can be called at any time; it ends soon after its signal is aborted, which
 * happens when it takes too long, when the controller stops, and in any case when the pass has ended.
 * Caveats: because own writes wake nobody, a pass that wants to go on after one either goes on with the answer or returns `after(0)`.
 */
export class Controller<T extends KubeObject> implements AsyncDisposable {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions<T>;
  readonly #limiter: FailureLimiter;
  /** A conflict says that the cache is a moment behind, not that something is wrong: its waits stay short. */
  readonly #conflicts = new FailureLimiter({ firstMs: 20, capMs: 1000 });
  readonly #ownWrites: OwnWrites;
  readonly #memory = new AppliedMemory();
  readonly #deadlines: Deadlines;
  readonly #stop = new AbortController();
  readonly #attach: (() => () => void)[] = [];
  #detach: (() => void)[] = [];
  readonly #inPass = new Map<string, Stashed[]>();
  readonly #parked = new Set<string>();
  #workers: Promise<void>[] = [];

  constructor(options: ControllerOptions<T>) {
    const { workers = 4 } = options;
    if (!(Number.isInteger(workers) && workers > 0)) throw new RangeError(`expected one worker or more, got ${workers}`);
    this.name = options.name;
    this.#options = options;
    this.#limiter = new FailureLimiter(options.limiter);
    this.#deadlines = new Deadlines(options.clock);
    const queueObserver = options.observer?.queue;
    this.queue = new WorkQueue({ clock: options.clock, ...(queueObserver === undefined ? {} : { observer: queueObserver }) });
    this.#ownWrites = new OwnWrites(options.informers, (key) => this.#caughtUp(key));
    this.watches(options.for, (object) => [keyOf(object)]);
  }

  /** Reconciles the owner of each object of this kind that changes: the controller named in its owner references. */
  owns<C extends KubeObject>(informer: Informer<C>, options: SourceOptions<C> = {}): this {
    return this.watches(informer, (object) => ownerKeys(object, this.#options.for as unknown as Informer<KubeObject>), options);
  }

  /** Reconciles the keys a function finds for each object that changes; over an index of the store, that is no scan. */
  watches<C extends KubeObject>(informer: Informer<C>, keysOf: KeysOf<C>, options: SourceOptions<C> = {}): this {
    this.#attach.push(() => informer.onChange((change, context) => this.#changed(change, context, keysOf, options)));
    return this;
  }

  /** Keys that wait for the caches to show their own last writes. */
  get heldBack(): number {
    return this.#ownWrites.heldBack;
  }

  /** Begins to work. The informers should have synced, or the first passes see half of the world. */
  start(): void {
    const { workers = 4 } = this.#options;
    if (this.#workers.length > 0) throw new Error(`the controller ${this.name} was started before`);
    this.#detach = this.#attach.map((attach) => attach());
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /** Stops: no new passes, those under way get their signal aborted and are waited for. */
  async close(): Promise<void> {
    for (const detach of this.#detach.splice(0)) detach();
    this.queue.close();
    this.#stop.abort(new Error(`the controller ${this.name} is stopping`));
    await Promise.all(this.#workers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #changed<C extends KubeObject>(
    change: Change<C>,
    context: ChangeContext,
    keysOf: KeysOf<C>,
    { when, gatherMs = () => 0 }: SourceOptions<C>,
  ): void {
    const object = change.type === 'deleted' ? change.old : change.new;
    const keys = [...keysOf(object), ...(change.type === 'updated' ? keysOf(change.old) : [])];
    // Whom it concerns is an index away; what it says may have to be compared in depth.
    if (keys.length === 0 || when?.(change) === false) return;
    const priority = priorityOf(change, context);
    const waitMs = change.type === 'updated' && priority === 'normal' ? gatherMs() : 0;
    // The end of an object is news even when its last version was our work.
    const canBeEcho = change.type !== 'deleted';
    for (const key of new Set(keys)) {
      const stash = this.#inPass.get(key);
      const stashed = { object, canBeEcho, priority, waitMs };
      if (stash !== undefined) stash.push(stashed);
      else this.#wake(key, stashed);
    }
  }

  #wake(key: string, { object, canBeEcho, priority, waitMs }: Stashed): void {
    if (canBeEcho && this.#ownWrites.isEcho(key, object)) return;
    if (waitMs > 0) this.queue.addAfter(key, waitMs);
    else this.queue.add(key, priority);
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      this.#parked.delete(key);
      if (!this.#ownWrites.isCaughtUp(key)) this.#parked.add(key);
      // It may have been handed out in the moment of closing.
      else if (!this.#stop.signal.aborted) await this.#pass(key);
      this.queue.done(key);
    }
  }

  #caughtUp(key: string): void {
    // Later, because the event that brought the cache up to date may just have woken the key: one pass serves both.
    queueMicrotask(() => {
      if (this.#parked.delete(key)) this.queue.add(key);
    });
  }

  async #pass(key: string): Promise<void> {
    const { clock, observer, timeoutMs = 120_000 } = this.#options;
    const stash: Stashed[] = [];
    this.#inPass.set(key, stash);
    this.#ownWrites.beginPass(key);
    let made: Logger | undefined;
    // Most passes say nothing, and a logger of its own costs more than the rest of a short pass.
    const log = (): Logger => {
      made ??= this.#options.log.child({ controller: this.name, object: key, reconcile: randomUUID() });
      return made;
    };
    const deadline = new AbortController();
    const abort = (): void => deadline.abort(this.#stop.signal.reason);
    this.#stop.signal.addEventListener('abort', abort, { once: true });
    const startedAt = clock.monotonic();
    const timed = {
      endsAt: startedAt + timeoutMs,
      late: (): void => deadline.abort(new Error(`the pass did not end within ${timeoutMs / 1000} s`)),
    };
    this.#deadlines.add(timed);
    let outcome: Outcome;
    try {
      outcome = this.#settle(key, await this.#reconcile(key, log, deadline.signal));
    } catch (error) {
      outcome = this.#fail(key, error, log());
    } finally {
      this.#deadlines.delete(timed);
      this.#stop.signal.removeEventListener('abort', abort);
      // What it left running would write by what it saw, while the next pass sees more.
      deadline.abort(passEnded);
      this.#inPass.delete(key);
    }
    for (const stashed of stash) this.#wake(key, stashed);
    this.#ownWrites.endPass(key);
    observer?.passEnded?.(outcome, clock.monotonic() - startedAt);
  }

  #reconcile(key: string, log: () => Logger, signal: AbortSignal): Promise<Result> {
    const { api, fieldManager, informers } = this.#options;
    const writer = new Writer({
      api,
      fieldManager,
      signal,
      memory: this.#memory,
      wrote: (type, answer, isOurs) => this.#ownWrites.wrote(key, type, answer, isOurs),
      removed: (type, object) => this.#ownWrites.removed(key, type, object),
      shown: (type, object) => informers.shown(type, object),
    });
    return this.#options.reconcile(parseKey(key), {
      signal,
      get log() {
        return log();
      },
      writer,
      failures: this.#limiter.count(key),
    });
  }

  #settle(key: string, { afterMs }: Result): Outcome {
    this.#limiter.forget(key);
    this.#conflicts.forget(key);
    if (afterMs === undefined) return 'success';
    this.queue.addAfter(key, afterMs);
    return 'requeue_after';
  }

  /** The one place that decides what an error means for the queue. */
  #fail(key: string, error: unknown, log: Logger): Outcome {
    if (error instanceof TerminalError) {
      this.#limiter.forget(key);
      log.error({ err: error }, 'reconcile failed for good; waiting for a change');
      return 'terminal';
    }
    if (this.#stop.signal.aborted) return 'error';
    if (isConflict(error)) {
      const retryInMs = this.#conflicts.next(key);
      this.queue.addAfter(key, retryInMs);
      log.debug({ err: error, retryInMs }, 'reconcile met a newer version');
      return 'conflict';
    }
    const retryInMs = waitAfter(error, this.#limiter.next(key));
    this.queue.addAfter(key, retryInMs);
    log.error({ err: error, retryInMs }, 'reconcile failed');
    return 'error';
  }
}

function priorityOf<C extends KubeObject>(change: Change<C>, { initial }: ChangeContext): Priority {
  if (change.type === 'deleted') return 'urgent';
  if (change.new.metadata.deletionTimestamp !== undefined) return 'urgent';
  return initial ? 'background' : 'normal';
}
