import type { Clock } from '#clock/clock.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';
import type { KindDefinition } from '#watch/options.ts';
import { Watcher } from '#watch/watcher.ts';

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
/** Rights may be granted while the program runs. */
const hiddenRetryMs = 600_000;

/** Where definitions are, and who is told. */
export interface DefinitionsOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly silenceMs?: number;
  /** The server does not let them be watched. Told once. */
  readonly onHidden: (error: Error) => void;
}

/**
 * The custom kinds that are defined, for those who wait for one.
 *
 * Guarantees: one watch for all kinds waited for, open only while there is one; it carries metadata, and only names and versions are kept.
 * Caveats: a definition does not say that the kind is served by now; only asking does.
 */
export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #followers = new Map<string, Set<() => void>>();
  /** Versions by name; undefined while not known. */
  #known: Map<string, string> | undefined;
  #stop: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #isHiddenTold = false;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** Of one kind. */
  of({ plural, group }: ResourceType): KindDefinition {
    const name = `${plural}.${group}`;
    const exists = (): boolean | undefined => this.#known?.has(name);
    return {
      get exists() {
        return exists();
      },
      follow: (callback) => this.#follow(name, callback),
    };
  }

  /** Resolves when the watch is closed; it is when nobody follows. */
  async close(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  #follow(name: string, callback: () => void): () => void {
    const followers = this.#followers.get(name) ?? new Set();
    this.#followers.set(name, followers.add(callback));
    if (this.#stop === undefined) this.#open();
    return () => {
      followers.delete(callback);
      if (followers.size === 0) this.#followers.delete(name);
      if (this.#followers.size === 0) this.#leave();
    };
  }

  #open(): void {
    const stop = new AbortController();
    this.#stop = stop;
    // After the last watch, so that there is never more than one.
    this.#running = this.#running.then(() => this.#run(stop.signal));
  }

  #leave(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#known = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#watch(signal);
      if (!signal.aborted) await clock.sleep(hiddenRetryMs, signal).catch(() => undefined);
    }
  }

  /** Until the signal is aborted, or the server does not let us. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { api, clock, silenceMs } = this.#options;
    const end = new AbortController();
    const abort = (): void => end.abort();
    signal.addEventListener('abort', abort, { once: true });
    const watcher = new Watcher<KubeObject>({
      api,
      path: resourcePath(definitionType),
      clock,
      metadataOnly: true,
      ...(silenceMs === undefined ? {} : { silenceMs }),
      sink: {
        replaced: (objects) => this.#replace(new Map(objects.map(nameAndVersion))),
        applied: (object) => this.#replace(new Map(this.#known).set(...nameAndVersion(object))),
        removed: ({ metadata }) => this.#replace(new Map([...(this.#known ?? [])].filter(([name]) => name !== metadata.name))),
        progressed: () => undefined,
        absent: () => undefined,
      },
      observer: {
        failure: (error) => {
          if (!isHidden(error)) return;
          abort();
          this.#hide(error);
        },
      },
    });
    if (signal.aborted) abort();
    await watcher.run(end.signal);
    signal.removeEventListener('abort', abort);
  }

  #replace(known: Map<string, string>): void {
    const before = this.#known;
    this.#known = known;
    for (const [name, followers] of [...this.#followers])
      if (before === undefined || before.get(name) !== known.get(name)) for (const callback of [...followers]) callback();
  }

  #hide(error: Error): void {
    const wasKnown = this.#known !== undefined;
    this.#known = undefined;
    if (!this.#isHiddenTold) this.#options.onHidden(error);
    this.#isHiddenTold = true;
    if (wasKnown) for (const followers of [...this.#followers.values()]) for (const callback of [...followers]) callback();
  }
}

const nameAndVersion = ({ metadata }: KubeObject): [name: string, version: string] => [
  metadata.name ?? '',
  metadata.resourceVersion ?? '',
];

/** Nothing that passes by itself. */
const isHidden = (error: Error): boolean => error instanceof ApiError && (error.code === 403 || error.code === 404);
