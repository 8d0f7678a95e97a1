import type { Clock } from '#clock/clock.ts';
import { deepFreeze } from '#store/freeze.ts';
import { compareVersions } from '#store/resource-version.ts';
import type { IndexFunction } from '#store/secondary-index.ts';
import { type Change, Store, type StoreReader } from '#store/store.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';
import type { KindDefinition, WatchState } from '#watch/options.ts';
import { Watcher } from '#watch/watcher.ts';
import { CacheWaiters } from './cache-waiters.ts';
import { coverage, type InformerScope, scopeOf } from './scope.ts';

/** What else is known about a change than the objects. */
export interface ChangeContext {
  /** True while the informer learns what exists: nothing happened, it is only news to us. */
  readonly initial: boolean;
}

/** Told of each change, after the store holds it. Runs inside the reading of the watch: quick, and no awaiting. */
export type ChangeHandler<T> = (change: Change<T>, context: ChangeContext) => void;

/** Told for logs and metrics; must not throw. */
export interface InformerObserver {
  watchState?(informer: Informer<KubeObject>, state: WatchState): void;
  watchFailure?(informer: Informer<KubeObject>, error: Error, retryInMs: number): void;
  /** A change handler threw, or an index function, whose index then leaves the object out. */
  handlerFailure?(informer: Informer<KubeObject>, error: unknown): void;
  /** Definitions of kinds cannot be watched, so kinds that are not served are asked for. Told once. */
  definitionsHidden?(error: Error): void;
}

/** What an Informer reads, and how. */
export interface InformerOptions<T extends KubeObject> extends InformerScope<T> {
  readonly api: ApiTransport;
  readonly type: ResourceType;
  readonly clock: Clock;
  readonly observer?: InformerObserver;
  /** See WatcherOptions. */
  readonly definition?: KindDefinition;
  /** Freezes objects in depth. Default: unless NODE_ENV is production. */
  readonly freeze?: boolean;
  readonly silenceMs?: number;
  readonly pageSize?: number;
  readonly random?: () => number;
}

/**
 * One kind, or the selected part of it, kept in memory, and news of each change.
 *
 * Guarantees: `store` only ever holds complete lists plus the events since; handlers are called in the order of changes, after the store holds
 * them; one that throws, as an index function that does, is reported and hurts neither the others nor the watch; managedFields are not kept, nor
 * what `keep` leaves out. A kind the server does not serve is waited for: it counts as synced and empty, `served` is false, and its objects join
 * when it appears.
 * Caveats: handlers run inside the reading of the watch, so they must be quick: put a key into a queue and return.
 */
export class Informer<T extends KubeObject> implements AsyncDisposable {
  readonly type: ResourceType;
  readonly scope: Omit<InformerScope<T>, 'keep'>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  #newcomers: ChangeHandler<T>[] | undefined;
  readonly #waiters = new CacheWaiters();
  readonly #watcher: Watcher<T>;
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  readonly #covers: (object: KubeObject) => boolean;
  #running: Promise<void> | undefined;
  #hasSynced = false;
  #served: boolean | undefined;

  constructor(options: InformerOptions<T>) {
    const { type, namespace, labelSelector, fieldSelector, metadataOnly } = options;
    this.#options = options;
    this.type = type;
    this.scope = scopeOf(options);
    this.#covers = coverage(this.scope);
    const freeze = options.freeze ?? process.env.NODE_ENV !== 'production';
    // In development nearly all rest: who relies on getting the same object twice fails at once, and not with the three hundredth.
    this.#store = new Store<T>({
      ...(freeze ? { freeze, mostRecent: 2 } : {}),
      onIndexFailure: (error) => this.#report(error),
    });
    const take = (object: T): T => {
      // Assigning keeps the object's shape; deleting would make it a slow dictionary and cost more memory.
      if (object.metadata.managedFields !== undefined) (object.metadata as { managedFields?: unknown }).managedFields = undefined;
      const kept = options.keep === undefined ? object : options.keep(object);
      return freeze ? deepFreeze(kept) : kept;
    };
    this.#watcher = new Watcher<T>({
      api: options.api,
      path: resourcePath(type, namespace === undefined ? {} : { namespace }),
      clock: options.clock,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(metadataOnly === undefined ? {} : { metadataOnly }),
      ...(options.definition === undefined ? {} : { definition: options.definition }),
      ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
      ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
      ...(options.random === undefined ? {} : { random: options.random }),
      take,
      sink: {
        replaced: (objects, version) => this.#replaced(objects, version),
        applied: (object) => this.#dispatch(this.#store.put(object)),
        removed: (object) => this.#dispatch(this.#store.remove(object)),
        progressed: (version) => {
          this.#store.advance(version);
          this.#waiters.check(this.#store.resourceVersion);
        },
        absent: () => this.#absent(),
      },
      observer: {
        state: (state) => options.observer?.watchState?.(this as unknown as Informer<KubeObject>, state),
        failure: (error, ms) => options.observer?.watchFailure?.(this as unknown as Informer<KubeObject>, error, ms),
      },
    });
  }

  get store(): StoreReader<T> {
    return this.#store;
  }

  /** True once the content is complete: after the first list, or when the kind was found not to be served. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when `hasSynced` becomes true. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Whether the server serves the kind; undefined until known. */
  get served(): boolean | undefined {
    return this.#served;
  }

  get watchState(): WatchState {
    return this.#watcher.state;
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf);
  }

  /** Calls the handler for each change from now on; what is there already is told first, as added. Returns the way to end that. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    if (this.#newcomers === undefined) this.#tell([handler]);
    else this.#newcomers.push(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Who is added from now on is told what is there by the function returned, all of them at once: an object at rest is made for all, not for each. */
  holdFirstNews(): () => void {
    const newcomers: ChangeHandler<T>[] = [];
    this.#newcomers = newcomers;
    return () => {
      this.#newcomers = undefined;
      this.#tell(newcomers);
    };
  }

  /** Whether an object of this kind belongs to this informer's part of it. */
  covers(object: KubeObject): boolean {
    return this.#covers(object);
  }

  /** Calls back once the content is at least as new as this version, at once if it is already. */
  whenReached(version: string, callback: () => void): void {
    const { resourceVersion } = this.#store;
    if (resourceVersion !== undefined && compareVersions(resourceVersion, version) >= 0) callback();
    else this.#waiters.addVersion(version, callback);
  }

  /** Calls back once the object with this key and UID is not in the content any more. */
  whenGone(key: string, uid: string | undefined, callback: () => void): void {
    const store = this.#store;
    this.#waiters.add(() => {
      const held = store.get(key);
      return held === undefined || held.metadata.uid !== uid;
    }, callback);
  }

  /** Begins to list and watch. Calling it again changes nothing. */
  start(): void {
    this.#running ??= this.#watcher.run(this.#stop.signal);
  }

  /** Ends the watch; the content stays readable. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the informer was closed'));
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #replaced(objects: readonly T[], version: string): void {
    this.#served = true;
    const before = this.#store.resourceVersion;
    this.#dispatch(this.#store.replace(objects, version));
    // A cluster that went back in time may not reach the versions waited for in years.
    if (before !== undefined && compareVersions(version, before) < 0) this.#waiters.release();
    this.#settle();
  }

  #absent(): void {
    this.#served = false;
    const version = this.#store.resourceVersion;
    this.#dispatch(this.#store.replace([], version ?? '0'));
    this.#waiters.release();
    this.#settle();
  }

  #settle(): void {
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  #tell(newcomers: readonly ChangeHandler<T>[]): void {
    if (newcomers.length === 0) return;
    for (const [key, object] of this.#store.entries())
      for (const handler of newcomers)
        if (this.#handlers.has(handler)) this.#call(handler, { type: 'added', key, new: object }, { initial: true });
  }

  #dispatch(changes: readonly Change<T>[]): void {
    const context = { initial: !this.#hasSynced };
    for (const change of changes) for (const handler of this.#handlers) this.#call(handler, change, context);
    this.#waiters.check(this.#store.resourceVersion);
  }

  #call(handler: ChangeHandler<T>, change: Change<T>, context: ChangeContext): void {
    try {
      handler(change, context);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.observer?.handlerFailure?.(this as unknown as Informer<KubeObject>, error);
  }
}
