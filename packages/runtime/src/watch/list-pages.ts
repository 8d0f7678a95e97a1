import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { WatchProtocolError } from './failure.ts';

/** Which collection to list. */
export interface ListPagesRequest<T> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly pageSize: number;
  /** What is kept of each object. Default: all of it. */
  readonly take?: (object: T) => T;
  readonly signal: AbortSignal;
}

/**
 * All objects of a collection as they were at one moment, read page by page.
 *
 * Guarantees: complete or an error. The first page asks for the newest state (no resource version), so the list is never older than the call;
 * later pages continue at the same version. A continue token that expires half-way is a 410 like any other: the caller begins again.
 */
export async function listPages<T extends KubeObject>(
  api: ApiTransport,
  { path, query, accept, pageSize, take = (object) => object, signal }: ListPagesRequest<T>,
): Promise<{ objects: T[]; resourceVersion: string }> {
  const objects: T[] = [];
  let resourceVersion: string | undefined;
  let next: string | undefined;
  do {
    const page: Omit<KubeList<T>, 'items'> & { items: readonly T[] | null; kind?: string; apiVersion?: string } =
      await api.request({
        method: 'GET',
        path,
        query: { ...query, limit: pageSize, continue: next },
        signal,
        withoutManagedFields: true,
        ...(accept === undefined ? {} : { accept }),
      });
    resourceVersion ??= page.metadata?.resourceVersion;
    // A list of metadata with nothing in it has null where other lists have an empty array.
    const items = page.items === null ? [] : page.items;
    if (resourceVersion === undefined || !Array.isArray(items))
      throw new WatchProtocolError(`GET ${path}: the answer is no list with items and a resource version`);
    // Items of built-in kinds come without kind and apiVersion, watch events with them; the cache has one form.
    const kind = page.kind?.replace(/List$/, '') ?? '';
    for (const item of items) {
      objects.push(take(item.kind === undefined ? Object.assign({ kind, apiVersion: page.apiVersion ?? '' }, item) : item));
    }
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  } while (next !== undefined);
  return { objects, resourceVersion };
}
