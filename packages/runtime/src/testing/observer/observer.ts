import { type Clock, systemClock } from '#clock/clock.ts';
import type { Connection } from '#transport/connection.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';
import { listAt } from './gap.ts';
import { KindWatch } from './kind-watch.ts';
import { describeViolations, type Violation } from './report.ts';
import { RevisionMerge } from './revision-merge.ts';
import { type ObservedEvent, World } from './world.ts';

/**
 * Must hold after every change. Gets the world at that version and the change that led there; returns the sentence that says what is wrong,
 * or undefined.
 */
export type Invariant = (world: World, event: ObservedEvent) => string | undefined;

export interface ObserverOptions {
  /** Straight to the API server: an observer behind a fault proxy would see what the proxy shows. */
  readonly connection: Connection;
  readonly kinds: readonly ResourceType[];
  /** By the name they are reported under. */
  readonly invariants?: Readonly<Record<string, Invariant>>;
  readonly clock?: Clock;
}

const defaultPatienceMs = 60_000;
/** How long events of one kind wait for another that says nothing, before it is asked. */
const hurryAfterMs = 500;
const askAgainAfterMs = 100;

/**
 * Watches whole kinds and judges every single version of the world.
 *
 * Guarantees: the world is exact at every resource version, across kinds: events are put in order of their versions before they are judged;
 * an observer that cannot see every version fails, and `caughtUp`, `assertClean` and `close` then throw.
 * Assumptions: the server keeps its history for as long as the observer may be disconnected.
 * Caveats: judging lags behind: a version is judged once every observed kind is known to have passed it, which may take seconds; `caughtUp` waits for that.
 */
export class Observer {
  readonly world = new World();
  readonly #history: ObservedEvent[] = [];
  readonly #violations: Violation[] = [];
  readonly #options: ObserverOptions;
  readonly #watches: KindWatch[];
  readonly #merge: RevisionMerge<ResourceType, Omit<ObservedEvent, 'previous'>>;
  readonly #stopping = new AbortController();
  readonly #waiters = new Set<{ revision: bigint; resolve: () => void; reject: (reason: Error) => void }>();
  #running: Promise<unknown> = Promise.resolve();
  #cancelHurry: (() => void) | undefined;
  #failure: Error | undefined;

  private constructor(options: ObserverOptions, start: bigint) {
    this.#options = options;
    this.#merge = new RevisionMerge(options.kinds, start);
    this.#watches = options.kinds.map(
      (type) =>
        new KindWatch(type, options.connection, this.#clock, {
          progress: () => this.#merge.progressOf(type),
          isAwaited: () => this.#awaited > this.#merge.progressOf(type),
          onEvent: (sort, object) => {
            this.#merge.add(type, { type: sort, resource: type, object, revision: BigInt(object.metadata.resourceVersion!) });
            this.#judge();
          },
          onProgress: (revision) => {
            this.#merge.advance(type, revision);
            this.#judge();
          },
        }),
    );
  }

  /** Resolves when the present state is known and judged and the watches are about to open. */
  static async start(options: ObserverOptions): Promise<Observer> {
    const [first, ...others] = options.kinds;
    if (first === undefined) throw new TypeError('an observer needs at least one kind to observe');
    const snapshot = await listAt(options.connection, first);
    const start = BigInt(snapshot.metadata.resourceVersion!);
    const observer = new Observer(options, start);
    observer.#load(first, snapshot.items);
    // All kinds at the very same version: a world put together from different moments would never have existed.
    for (const kind of others) observer.#load(kind, (await listAt(options.connection, kind, start)).items);
    for (const event of [...observer.#history]) observer.#check(event);
    observer.#run();
    return observer;
  }

  /** Everything observed, in order of the versions. */
  get history(): readonly ObservedEvent[] {
    return this.#history;
  }

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** The history of one object, over all objects that bore its name. */
  historyOf(type: ResourceType, at: { name: string; namespace?: string }): ObservedEvent[] {
    return this.#history.filter(
      ({ resource, object: { metadata } }) =>
        resource.plural === type.plural &&
        resource.group === type.group &&
        metadata.name === at.name &&
        metadata.namespace === at.namespace,
    );
  }

  /** Resolves when every version up to this one (default: the server's present one) is judged. */
  async caughtUp(resourceVersion?: string, patienceMs = defaultPatienceMs): Promise<void> {
    const revision = BigInt(resourceVersion ?? (await this.#present(patienceMs)));
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#merge.frontier >= revision) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { revision, resolve, reject };
    this.#waiters.add(waiter);
    const cancel = this.#clock.setTimeout(() => reject(this.#late(revision, patienceMs)), patienceMs);
    this.#hurry();
    try {
      await promise;
    } finally {
      cancel();
      this.#waiters.delete(waiter);
    }
  }

  /** Throws when an invariant was violated or something may have been missed. */
  assertClean(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#violations.length > 0) throw new Error(describeViolations(this.#violations, this.#history));
  }

  /** Ends the watches; throws when something may have been missed. */
  async close(): Promise<void> {
    this.#cancelHurry?.();
    this.#stopping.abort();
    await this.#running;
    for (const { reject } of this.#waiters) reject(new Error('the observer was closed while somebody waited for it'));
    if (this.#failure !== undefined) throw this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #run(): void {
    this.#running = Promise.all(
      this.#watches.map((watch) => watch.run(this.#stopping.signal).catch((error: Error) => this.#fail(error))),
    );
  }

  #load(resource: ResourceType, items: readonly KubeObject[]): void {
    for (const object of items) {
      this.world.change(resource, object, false);
      const revision = BigInt(object.metadata.resourceVersion!);
      this.#history.push({ type: 'INITIAL', resource, object, previous: undefined, revision });
    }
  }

  #judge(): void {
    for (const event of this.#merge.drain()) {
      const previous = this.world.change(event.resource, event.object, event.type === 'DELETED');
      const observed = { ...event, previous };
      this.#history.push(observed);
      this.#check(observed);
    }
    for (const { revision, resolve } of this.#waiters) if (this.#merge.frontier >= revision) resolve();
    if (this.#merge.held === undefined) return;
    this.#cancelHurry ??= this.#clock.setTimeout(() => {
      this.#cancelHurry = undefined;
      this.#hurry();
    }, hurryAfterMs);
  }

  #check(event: ObservedEvent): void {
    for (const [invariant, holds] of Object.entries(this.#options.invariants ?? {})) {
      const sentence = holds(this.world, event);
      if (sentence !== undefined) this.#violations.push({ invariant, sentence, event });
    }
  }

  /** The version that somebody waits to hear of, or that holds back events. */
  get #awaited(): bigint {
    let newest = this.#merge.held ?? 0n;
    for (const { revision } of this.#waiters) if (revision > newest) newest = revision;
    return newest;
  }

  #hurry(): void {
    const behind = new Set(this.#merge.behind(this.#awaited));
    for (const watch of this.#watches) if (behind.has(watch.type)) watch.hurry();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#stopping.abort();
    for (const { reject } of this.#waiters) reject(this.#failure);
  }

  #late(revision: bigint, patienceMs: number): Error {
    const behind = this.#merge.behind(revision).map((type) => `${type.plural} (known up to ${this.#merge.progressOf(type)})`);
    return new Error(
      `after ${patienceMs / 1000} s the server has not shown these kinds up to version ${revision}: ${behind.join(', ')}`,
    );
  }

  /** Asks until the server answers: it may be restarting. */
  async #present(patienceMs: number): Promise<string> {
    const end = this.#clock.monotonic() + patienceMs;
    const request = { method: 'GET', path: resourcePath(this.#options.kinds[0]!), query: { limit: 1 } } as const;
    for (;;) {
      try {
        return (await this.#options.connection.request<KubeList<KubeObject>>(request)).metadata.resourceVersion!;
      } catch (error) {
        if (this.#clock.monotonic() > end || this.#stopping.signal.aborted) throw error;
        await this.#clock.sleep(askAgainAfterMs);
      }
    }
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }
}
