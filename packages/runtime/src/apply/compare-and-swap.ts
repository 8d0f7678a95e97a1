import { type Clock, systemClock } from '#clock/clock.ts';
import { isConflict } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';

/** How long and how often `compareAndSwap` tries. */
export interface CompareAndSwapOptions {
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** How often to read and try before the conflict is thrown. Default 10. */
  readonly tries?: number;
  readonly random?: () => number;
}

/**
 * Changes an object that several writers share: reads it, lets `change` make the next state of it, and stores that only if nobody wrote in between.
 *
 * Guarantees: `change` always sees the newest state, and what it returns is stored on top of just that state or not at all. Returning undefined
 * leaves the object alone. Resolves with the object as it is then.
 * Assumptions: `change` is pure; it is called again after each conflict.
 */
export async function compareAndSwap<T extends KubeObject>(
  api: ApiTransport,
  type: ResourceType,
  at: { readonly name: string; readonly namespace?: string },
  change: (current: T) => T | undefined,
  { signal, clock = systemClock, tries = 10, random = Math.random }: CompareAndSwapOptions = {},
): Promise<T> {
  const resource = new Resource<T>(api, type);
  const call = signal === undefined ? {} : { signal };
  for (let attempt = 1; ; attempt++) {
    const current = await resource.get(at, call);
    const next = change(current);
    if (next === undefined) return current;
    const { uid, resourceVersion } = current.metadata;
    try {
      return await resource.replace({ ...next, metadata: { ...next.metadata, ...defined({ uid, resourceVersion }) } }, call);
    } catch (error) {
      if (!isConflict(error) || attempt >= tries) throw error;
      // Writers that met once would meet again if they came back in step.
      await clock.sleep(random() * Math.min(10 * 2 ** attempt, 500), signal);
    }
  }
}

function defined(values: { uid: string | undefined; resourceVersion: string | undefined }): {
  uid?: string;
  resourceVersion?: string;
} {
  const { uid, resourceVersion } = values;
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}
