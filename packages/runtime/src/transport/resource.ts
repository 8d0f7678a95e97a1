import { isNotFound, type StatusBody } from './api-error.ts';
import type { ApiTransport } from './api-transport.ts';
import type { KubeList, KubeObject } from './kube-object.ts';

/** Where a kind lives in the API: what a path is made of. */
export interface ResourceType {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** As owner references name it. Lets a controller tell owners of its kind from others while there are none to look at. */
  readonly kind?: string;
}

/** One object, or part of it, of a kind. */
export interface ObjectAddress {
  readonly name?: string;
  readonly namespace?: string | undefined;
  readonly subresource?: string;
}

/** The path of a collection, an object or a subresource. */
export function resourcePath(type: ResourceType, at: ObjectAddress = {}): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const namespace = type.namespaced && at.namespace !== undefined ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const name = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  const subresource = at.subresource === undefined ? '' : `/${at.subresource}`;
  return `${root}${namespace}/${type.plural}${name}${subresource}`;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Deadline of the call. Default: the connection's. */
  readonly timeoutMs?: number;
  /** See ApiRequest. */
  readonly withoutManagedFields?: boolean;
}

/** Which objects to list. */
export interface ListOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Under which name to apply, and whether to take fields over from others. */
export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

/** Which very object to delete, and what becomes of those it owns. */
export interface DeleteOptions extends CallOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

const pageSize = 500;

/** Typed calls on one kind. Thin on purpose: one method is one request (`list` follows pages). */
export class Resource<T extends KubeObject> {
  readonly #connection: ApiTransport;
  readonly type: ResourceType;

  constructor(connection: ApiTransport, type: ResourceType) {
    this.#connection = connection;
    this.type = type;
  }

  get(at: { name: string; namespace?: string | undefined }, options: CallOptions = {}): Promise<T> {
    return this.#connection.request<T>({ method: 'GET', path: resourcePath(this.type, at), ...options });
  }

  /** As `get`; undefined when there is no such object. */
  find(at: { name: string; namespace?: string | undefined }, options: CallOptions = {}): Promise<T | undefined> {
    return this.get(at, options).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /** All objects, page by page, as one list whose resource version is that of the first page. */
  async list(at: { namespace?: string } = {}, options: ListOptions = {}): Promise<KubeList<T>> {
    const { labelSelector, fieldSelector, ...call } = options;
    const items: T[] = [];
    let resourceVersion: string | undefined;
    let next: string | undefined;
    do {
      const page: KubeList<T> = await this.#connection.request<KubeList<T>>({
        method: 'GET',
        path: resourcePath(this.type, at),
        query: { labelSelector, fieldSelector, limit: pageSize, continue: next },
        ...call,
      });
      for (const item of page.items) items.push(item);
      resourceVersion ??= page.metadata.resourceVersion;
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (next !== undefined);
    return { metadata: resourceVersion === undefined ? {} : { resourceVersion }, items };
  }

  create(object: T, options: CallOptions & { fieldManager?: string; dryRun?: boolean } = {}): Promise<T> {
    const { fieldManager, dryRun, ...rest } = options;
    return this.#connection.request<T>({
      method: 'POST',
      path: resourcePath(this.type, { namespace: object.metadata.namespace }),
      query: { fieldManager, dryRun: dryRun === true ? 'All' : undefined },
      body: object,
      ...rest,
    });
  }

  /** Replaces the object; with a resource version in it, only if nobody else wrote meanwhile. */
  replace(object: T, options: CallOptions & { subresource?: string } = {}): Promise<T> {
    const { subresource, ...rest } = options;
    return this.#connection.request<T>({ method: 'PUT', path: this.#pathOf(object, subresource), body: object, ...rest });
  }

  /** Server-side apply: the fields given become ours, fields we gave before and leave out now are given up. */
  apply(object: T, { fieldManager, force, subresource, dryRun, ...rest }: ApplyOptions): Promise<T> {
    return this.#connection.request<T>({
      method: 'PATCH',
      path: this.#pathOf(object, subresource),
      query: { fieldManager, force: force === true ? true : undefined, dryRun: dryRun === true ? 'All' : undefined },
      contentType: 'application/apply-patch+yaml',
      body: object,
      ...rest,
    });
  }

  mergePatch(
    at: { name: string; namespace?: string | undefined; subresource?: string },
    patch: unknown,
    { fieldManager, ...rest }: CallOptions & { fieldManager?: string } = {},
  ): Promise<T> {
    return this.#connection.request<T>({
      method: 'PATCH',
      path: resourcePath(this.type, at),
      query: { fieldManager },
      contentType: 'application/merge-patch+json',
      body: patch,
      ...rest,
    });
  }

  /** The object as it is while finalizers or dependents hold it; undefined when it is gone. */
  async delete(at: { name: string; namespace?: string | undefined }, options: DeleteOptions = {}): Promise<T | undefined> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, ...rest } = options;
    const answer = await this.#connection.request<T | StatusBody>({
      method: 'DELETE',
      path: resourcePath(this.type, at),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy,
        gracePeriodSeconds,
        preconditions: { uid, resourceVersion },
      },
      ...rest,
    });
    return answer.kind === 'Status' ? undefined : (answer as T);
  }

  #pathOf(object: T, subresource: string | undefined): string {
    const { name, namespace } = object.metadata;
    if (name === undefined) throw new TypeError(`${object.kind} has no metadata.name, so it cannot be addressed`);
    return resourcePath(this.type, { name, namespace, ...(subresource === undefined ? {} : { subresource }) });
  }
}
