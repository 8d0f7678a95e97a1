import type { Clock } from '#clock/clock.ts';
import { keyOf } from '#store/key.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';
import { Definitions } from './definitions.ts';
import { Informer, type InformerObserver } from './informer.ts';
import { type InformerScope, scopeOf } from './scope.ts';

/** What all informers of a process share. */
export interface InformersOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly observer?: InformerObserver;
  /** See InformerOptions. */
  readonly freeze?: boolean;
  readonly silenceMs?: number;
  readonly pageSize?: number;
}

/** Whether the caches show an object. */
export type Shown = 'yes' | 'not yet' | 'never';

/**
 * The informers of a process: one per kind and scope, shared by all who ask.
 *
 * Assumptions: callers who ask for the same kind and scope mean the same type of object, and keep the same of it.
 */
export class Informers implements AsyncDisposable {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  readonly #byKind = new Map<string, Informer<KubeObject>[]>();
  readonly #kept = new Map<string, unknown>();
  readonly #definitions: Definitions;
  #isStarted = false;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#definitions = new Definitions({ ...options, onHidden: (error) => options.observer?.definitionsHidden?.(error) });
  }

  get<T extends KubeObject>(type: ResourceType, scope: InformerScope<T> = {}): Informer<T> {
    const id = JSON.stringify([type.group, type.version, type.plural, scopeOf(scope)]);
    let informer = this.#informers.get(id);
    if (informer === undefined) {
      const definition = this.#definitions.of(type);
      const keep = scope.keep === undefined ? {} : { keep: scope.keep };
      const made = new Informer<T>({ ...this.#options, ...scopeOf(scope), ...keep, type, definition });
      informer = made as unknown as Informer<KubeObject>;
      this.#informers.set(id, informer);
      const kind = kindId(type);
      this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), informer]);
      this.#kept.set(id, scope.keep);
      if (this.#isStarted) informer.start();
    } else if (this.#kept.get(id) !== scope.keep)
      throw new Error(
        `an informer of ${type.plural} exists already that keeps other fields; all who share it must keep the same`,
      );
    return informer as unknown as Informer<T>;
  }

  /** Adds handlers to any of them; what is there already is told when all are added, to all at once. */
  addingHandlers(add: () => void): void {
    const tells = [...this].map((informer) => informer.holdFirstNews());
    try {
      add();
    } finally {
      for (const tell of tells) tell();
    }
  }

  /** All informers that will be told of this version of an object: it belongs to their part of the kind, or did so far. */
  concerned(type: ResourceType, object: KubeObject): readonly Informer<KubeObject>[] {
    const ofKind = this.#byKind.get(kindId(type)) ?? [];
    return ofKind.filter((informer) => informer.covers(object) || informer.store.has(keyOf(object)));
  }

  /** What the caches have of an object: nobody keeps it, it is shown, or one that should show it does not. */
  shown(type: ResourceType, object: KubeObject): Shown {
    const concerned = this.concerned(type, object);
    if (concerned.length === 0) return 'never';
    return concerned.every(({ store }) => store.has(keyOf(object))) ? 'yes' : 'not yet';
  }

  [Symbol.iterator](): Iterator<Informer<KubeObject>> {
    return this.#informers.values();
  }

  /** Starts all informers, those asked for later included. */
  start(): void {
    this.#isStarted = true;
    for (const informer of this.#informers.values()) informer.start();
  }

  get hasSynced(): boolean {
    return [...this.#informers.values()].every((informer) => informer.hasSynced);
  }

  /** Resolves when all informers have synced; rejects when the signal is aborted first. */
  async synced(signal?: AbortSignal): Promise<void> {
    const all = Promise.all([...this.#informers.values()].map((informer) => informer.synced));
    if (signal === undefined) await all;
    else await Promise.race([all, rejectOnAbort(signal)]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.close()));
    await this.#definitions.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Of all versions of a kind: they are the same objects. */
const kindId = ({ group, plural }: ResourceType): string => `${group}/${plural}`;
