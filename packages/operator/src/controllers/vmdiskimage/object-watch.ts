import { type ApiTransport, type Clock, type ResourceType, resourcePath } from '@terrain/runtime';
import { dataVolumeType } from '#platform/cdi.ts';
import { configMapType, secretType } from '#platform/core.ts';
import { kubevirtMachineType } from '#platform/kubevirt.ts';
import type { AwaitedObject, ObjectWatch } from './needs.ts';

const types: Readonly<Record<AwaitedObject['kind'], ResourceType>> = {
  secret: secretType,
  configmap: configMapType,
  datavolume: dataVolumeType,
  kubevirt: kubevirtMachineType,
};
const watchSeconds = 300;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

interface Watched {
  readonly keys: Set<string>;
  readonly stop: AbortController;
}

/**
 * Watches single objects by name, for as long as somebody waits for them.
 *
 * A watch that names no version begins with what is there, so no list is needed: the operator may neither list Secrets nor hold any.
 * One watch serves all who wait for the same object.
 */
export class NamedObjectWatch implements ObjectWatch {
  readonly #api: ApiTransport;
  readonly #clock: Clock;
  readonly #wake: (key: string) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #awaitedBy = new Map<string, readonly string[]>();

  constructor(api: ApiTransport, clock: Clock, wake: (key: string) => void) {
    this.#api = api;
    this.#clock = clock;
    this.#wake = wake;
  }

  /** How many watches are open. */
  get size(): number {
    return this.#watched.size;
  }

  await(key: string, objects: Parameters<ObjectWatch['await']>[1]): void {
    const before = this.#awaitedBy.get(key) ?? [];
    const ids: string[] = [];
    for (const { kind, namespace, name } of objects) {
      const id = `${kind}/${namespace}/${name}`;
      ids.push(id);
      let watched = this.#watched.get(id);
      if (watched === undefined) {
        watched = { keys: new Set(), stop: new AbortController() };
        this.#watched.set(id, watched);
        void this.#run(types[kind], namespace, name, watched);
      }
      watched.keys.add(key);
    }
    if (ids.length === 0) this.#awaitedBy.delete(key);
    else this.#awaitedBy.set(key, ids);
    for (const id of before) if (!ids.includes(id)) this.#leave(id, key);
  }

  close(): void {
    for (const { stop } of this.#watched.values()) stop.abort();
    this.#watched.clear();
    this.#awaitedBy.clear();
  }

  #leave(id: string, key: string): void {
    const watched = this.#watched.get(id);
    watched?.keys.delete(key);
    if (watched?.keys.size !== 0) return;
    watched.stop.abort();
    this.#watched.delete(id);
  }

  async #run(type: ResourceType, namespace: string, name: string, { keys, stop }: Watched): Promise<void> {
    const { signal } = stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const query = { watch: true, fieldSelector: `metadata.name=${name}`, timeoutSeconds: watchSeconds };
        const path = resourcePath(type, { namespace });
        // What the lines say does not matter, and may be secret: whoever is woken reads for himself.
        for await (const _ of this.#api.stream({ method: 'GET', path, query, signal })) {
          failures = 0;
          for (const key of keys) this.#wake(key);
        }
      } catch {
        failures++;
      }
      if (signal.aborted) return;
      const waitMs = Math.min(firstRetryMs * 2 ** Math.min(failures, 10), longestRetryMs);
      await this.#clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}
