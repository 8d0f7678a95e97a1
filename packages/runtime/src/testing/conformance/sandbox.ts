import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isAlreadyExists } from '#transport/api-error.ts';
import type { Connection } from '#transport/connection.ts';
import type { KubeObject, ObjectMeta } from '#transport/kube-object.ts';
import { Resource, type ResourceType, resourcePath } from '#transport/resource.ts';
import { crds, gadgetType, widgetType } from './kinds.ts';

/** A server under test: how to reach it, and the one thing that cannot be asked for through the API. */
export interface ConformanceTarget {
  readonly connection: Connection;
  /** Makes the server forget all versions before the current one. */
  readonly compact: () => Promise<void>;
}

/** Cases by the sentence that must be true. */
export type ConformanceCases = Readonly<Record<string, (api: Sandbox) => Promise<void>>>;

export interface Widget extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

export interface SeenEvent {
  readonly type: string;
  readonly object: Widget & { readonly code?: number; readonly reason?: string };
}

const configMapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const patienceMs = 30_000;

/** What one case works with: a namespace nobody else uses, and short words for the requests cases make. */
export class Sandbox {
  readonly target: ConformanceTarget;
  readonly connection: Connection;
  readonly namespace: string;
  readonly widgets: Resource<Widget>;
  readonly gadgets: Resource<Widget>;
  readonly configMaps: Resource<Widget>;

  private constructor(target: ConformanceTarget, namespace: string) {
    this.target = target;
    this.connection = target.connection;
    this.namespace = namespace;
    this.widgets = new Resource(target.connection, widgetType);
    this.gadgets = new Resource(target.connection, gadgetType);
    this.configMaps = new Resource(target.connection, configMapType);
  }

  /** Installs the suite's CRDs once per server; waits until they are served. */
  static async prepare({ connection }: ConformanceTarget): Promise<void> {
    for (const body of crds) {
      await connection
        .request({ method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    }
    for (const type of [widgetType, gadgetType]) {
      await eventually(`${type.plural} are served`, () =>
        connection.request({ method: 'GET', path: resourcePath(type) }).then(() => true),
      );
    }
  }

  static async open(target: ConformanceTarget): Promise<Sandbox> {
    const name = randomName('case');
    await target.connection.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    return new Sandbox(target, name);
  }

  /** The path of the widgets of this case, or of one of them. */
  path(name?: string, subresource?: string): string {
    return resourcePath(widgetType, {
      namespace: this.namespace,
      ...(name === undefined ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  /** A manifest; nothing is sent. */
  widget(name: string, spec: Readonly<Record<string, unknown>> = { size: 1 }, metadata: ObjectMeta = {}): Widget {
    return {
      apiVersion: 'conformance.test/v1',
      kind: 'Widget',
      metadata: { name, namespace: this.namespace, ...metadata },
      spec,
    };
  }

  configMap(name: string, data: Readonly<Record<string, string>>, metadata: ObjectMeta = {}): Widget {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: this.namespace, ...metadata }, data };
  }

  /** Creates a widget. */
  create(name: string, spec?: Readonly<Record<string, unknown>>, metadata?: ObjectMeta): Promise<Widget> {
    return this.widgets.create(this.widget(name, spec, metadata));
  }

  get(name: string): Promise<Widget> {
    return this.widgets.get({ name, namespace: this.namespace });
  }

  patch(name: string, body: unknown, options: { subresource?: string; query?: Record<string, string> } = {}): Promise<Widget> {
    return this.connection.request<Widget>({
      method: 'PATCH',
      path: this.path(name, options.subresource),
      contentType: 'application/merge-patch+json',
      body,
      ...(options.query === undefined ? {} : { query: options.query }),
    });
  }

  /** Applies a widget with only the fields given; `by` is the field manager. */
  apply(
    name: string,
    by: string,
    fields: Partial<Widget>,
    options: { force?: boolean; subresource?: string; dryRun?: boolean } = {},
  ): Promise<Widget> {
    const { metadata, ...rest } = fields;
    const object = {
      apiVersion: 'conformance.test/v1',
      kind: 'Widget',
      metadata: { name, namespace: this.namespace, ...metadata },
      ...rest,
    };
    return this.widgets.apply(object, { fieldManager: by, ...options });
  }

  delete(
    name: string,
    body?: Readonly<Record<string, unknown>>,
    query: Record<string, string> = {},
  ): Promise<Widget & { status: unknown; details?: { uid?: string } }> {
    const options = body === undefined ? {} : { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...body } };
    return this.connection.request({ method: 'DELETE', path: this.path(name), query, ...options });
  }

  /** Lists widgets of this case and returns the whole answer. */
  list(query: Record<string, string | number> = {}): Promise<{
    kind: string;
    apiVersion: string;
    metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
    items: Widget[];
  }> {
    return this.connection.request({ method: 'GET', path: this.path(), query });
  }

  async names(query: Record<string, string | number> = {}): Promise<(string | undefined)[]> {
    return (await this.list(query)).items.map(({ metadata }) => metadata.name);
  }

  /** Watches the widgets of this case until `isEnough`, or until the server ends the stream. */
  async watch(
    query: Record<string, string | number | boolean>,
    isEnough: (events: readonly SeenEvent[]) => boolean,
    accept = 'application/json',
  ): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    const signal = AbortSignal.timeout(patienceMs);
    const stream = this.connection.stream({ method: 'GET', path: this.path(), query: { watch: true, ...query }, accept, signal });
    if (isEnough(events)) return events;
    for await (const line of stream) {
      events.push(JSON.parse(line) as SeenEvent);
      if (isEnough(events)) break;
    }
    return events;
  }

  async isGone(name: string): Promise<boolean> {
    return this.get(name).then(
      () => false,
      (error: unknown) => error instanceof ApiError && error.code === 404,
    );
  }
}

export const randomName = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

/** Asks until the answer is yes; an error means not yet. */
export async function eventually(what: string, ask: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  let last: unknown;
  for (;;) {
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end)
      throw new Error(`it did not become true within ${patienceMs / 1000} s that ${what}`, { cause: last });
    await delay(20);
  }
}

/** The request must be refused with this code and reason; returns the refusal for further questions. */
export async function refused(request: Promise<unknown>, code: number, reason: string): Promise<ApiError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(
    error instanceof ApiError,
    `expected a refusal with ${code} ${reason}, got ${error === undefined ? 'an answer' : String(error)}`,
  );
  assert.deepEqual({ code: error.code, reason: error.reason }, { code, reason }, error.message);
  return error;
}

/** `spec.size` and the like of each cause, in a stable order. */
export const fieldsOf = (error: ApiError): (string | undefined)[] => error.causes.map((cause) => cause.field).sort();

export const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? '-1');

/** Each event in a few words: `ADDED a`. */
export const inWords = (events: readonly SeenEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name}`);

/** A reference to an owner, as a dependent carries it. */
export const ownedBy = (owner: Widget, more: { blockOwnerDeletion?: boolean; controller?: boolean } = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name!,
  uid: owner.metadata.uid!,
  ...more,
});
