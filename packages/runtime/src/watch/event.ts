import { ApiError, type StatusBody } from '#transport/api-error.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { parseWithoutManagedFields } from '#transport/without-managed-fields.ts';
import { WatchProtocolError } from './failure.ts';

/** One line of a watch, read. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Reads a line of a watch, without managedFields; an ERROR event is thrown as the ApiError it stands for. */
export function parseWatchEvent<T extends KubeObject>(line: string, path: string): WatchEvent<T> {
  let event: { type?: unknown; object?: T };
  try {
    event = parseWithoutManagedFields(line) as { type?: unknown; object?: T };
  } catch (error) {
    throw new WatchProtocolError(`GET ${path}: a watch event is not JSON: ${line.slice(0, 200)}`, { cause: error });
  }
  const { type, object } = event;
  if (type === 'ERROR') {
    const status = object as StatusBody | undefined;
    throw new ApiError(status?.code ?? 500, status, `GET ${path} (watch)`);
  }
  const resourceVersion = object?.metadata?.resourceVersion;
  if (object === undefined || resourceVersion === undefined)
    throw new WatchProtocolError(`GET ${path}: a watch event has no object with a resource version: ${line.slice(0, 200)}`);
  if (type === 'BOOKMARK') return { type, resourceVersion };
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
  throw new WatchProtocolError(`GET ${path}: a watch event has the unknown type ${JSON.stringify(type)}`);
}
