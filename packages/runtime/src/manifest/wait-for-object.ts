import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '#transport/api-error.ts';
import type { Connection } from '#transport/connection.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';

/** How long to wait, and who is told what for. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Told each time the reason to go on waiting changes. */
  readonly onWaiting?: (reason: string) => void;
}

interface WatchLine<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

/**
 * Waits until one object is as wanted, by a watch on just that object.
 *
 * `judge` gets the object, or undefined while it does not exist, and answers undefined when content or a few words on what is missing.
 * Guarantees: a broken watch is opened again; when the time is up the error names the object and what was still missing.
 */
export async function waitForObject<T extends KubeObject>(
  connection: Connection,
  type: ResourceType,
  at: { readonly name: string; readonly namespace?: string },
  judge: (object: T | undefined) => string | undefined,
  options: WaitOptions,
): Promise<T | undefined> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const query = { fieldSelector: `metadata.name=${at.name}` };
  const path = resourcePath(type, at.namespace === undefined ? {} : { namespace: at.namespace });
  let missing = 'no answer from the API server';
  const isContent = (object: T | undefined): boolean => {
    const reason = judge(object);
    if (reason !== undefined && reason !== missing) options.onWaiting?.(reason);
    missing = reason ?? missing;
    return reason === undefined;
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      try {
        const list = await connection.request<KubeList<T>>({ method: 'GET', path, query, signal });
        const object = list.items[0];
        if (isContent(object)) return object;
        const resourceVersion = list.metadata.resourceVersion;
        const watch = connection.stream({ method: 'GET', path, query: { ...query, watch: true, resourceVersion }, signal });
        for await (const line of watch) {
          const event = JSON.parse(line) as WatchLine<T>;
          if (event.type === 'ERROR') break;
          const seen = event.type === 'DELETED' ? undefined : event.object;
          if (isContent(seen)) return seen;
        }
      } catch (error) {
        // A refusal will not change by asking again; a broken socket or a busy server may.
        if (signal.aborted || (error instanceof ApiError && error.code < 500 && error.code !== 404 && error.code !== 410))
          throw error;
        missing = (error as Error).message;
      }
      // However the watch ended, asking again at once could become a loop.
      await delay(200, undefined, { signal });
    }
  } catch (error) {
    if (!deadline.aborted) throw error;
    const where = at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`;
    throw new Error(`${type.plural} ${where} is not as wanted after ${options.timeoutMs / 1000} s: ${missing}`, { cause: error });
  }
}
