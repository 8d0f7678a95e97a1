import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isNotFound } from '#transport/api-error.ts';
import type { Connection } from '#transport/connection.ts';
import { Discovery } from '#transport/discovery.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { waitForObject } from './wait-for-object.ts';

/** Under which name manifests are applied, and who is told. */
export interface ApplyManifestsOptions {
  readonly fieldManager: string;
  readonly signal?: AbortSignal;
  /** How long new definitions may take to be served. Default 60 s. */
  readonly timeoutMs?: number;
  readonly onApplied?: (object: KubeObject) => void;
}

interface CustomResourceDefinition extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const definitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
interface Problem {
  readonly error: Error;
  readonly mayPass: boolean;
}

/** Enough to hide the round trips, few enough not to trip the server's fairness limits. */
const parallel = 8;

/**
 * Applies manifests of any kind, as `kubectl apply --server-side --force-conflicts` would.
 *
 * Guarantees: namespaces and definitions go first, and definitions are served before anything else is sent; every failure is collected, so one bad
 * manifest does not hide the next; applying twice changes nothing.
 */
export async function applyManifests(
  connection: Connection,
  objects: readonly KubeObject[],
  options: ApplyManifestsOptions,
): Promise<void> {
  const discovery = new Discovery(connection);
  const isFirst = ({ kind }: KubeObject): boolean => kind === 'Namespace' || kind === 'CustomResourceDefinition';
  await applyAll(objects.filter(isFirst));
  await Promise.all(
    objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map((object) => waitUntilServed(connection, object, options)),
  );
  await applyAll(objects.filter((object) => !isFirst(object)));

  async function applyAll(batch: readonly KubeObject[]): Promise<void> {
    const failures: Error[] = [];
    const queue = batch.values();
    const work = async (): Promise<void> => {
      for (const object of queue) {
        options.signal?.throwIfAborted();
        try {
          await applyOne(object);
        } catch (error) {
          failures.push(new Error(`${nameOf(object)} could not be applied: ${(error as Error).message}`, { cause: error }));
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  }

  async function applyOne(object: KubeObject): Promise<void> {
    const end = performance.now() + (options.timeoutMs ?? 60_000);
    for (let problem = await tryApply(object); problem !== undefined; problem = await tryApply(object)) {
      if (!problem.mayPass || performance.now() > end) throw problem.error;
      await delay(100, undefined, withSignal(options));
    }
    options.onApplied?.(object);
  }

  /** Undefined when it went through. */
  async function tryApply(object: KubeObject): Promise<Problem | undefined> {
    const unknownKind: Problem = {
      error: new Error(`the cluster does not know ${object.apiVersion} ${object.kind}; is its definition installed?`),
      // A kind is not served at once when its definition is Established.
      mayPass: isDefinedHere(object),
    };
    const type = await discovery.find(object);
    if (type === undefined) return unknownKind;
    const { namespace } = object.metadata;
    const placed =
      type.namespaced && namespace === undefined ? { ...object, metadata: { ...object.metadata, namespace: 'default' } } : object;
    try {
      await new Resource(connection, type).apply(placed, {
        fieldManager: options.fieldManager,
        force: true,
        ...withSignal(options),
      });
      return undefined;
    } catch (error) {
      if (isMissingPath(error)) return unknownKind;
      // Admission policies answer 503 until they know a new kind; an apply can be sent again whatever became of the first.
      return { error: error as Error, mayPass: error instanceof ApiError && error.code === 503 };
    }
  }

  function isDefinedHere(object: KubeObject): boolean {
    return objects.some(({ kind, spec }: KubeObject & { spec?: { group?: string; names?: { kind?: string } } }) => {
      return (
        kind === 'CustomResourceDefinition' && spec?.names?.kind === object.kind && object.apiVersion.startsWith(`${spec.group}/`)
      );
    });
  }
}

/** A path nobody serves is answered with plain text; a missing object with a Status whose reason is NotFound. */
const isMissingPath = (error: unknown): boolean => isNotFound(error) && (error as ApiError).reason === '';

const withSignal = ({ signal }: ApplyManifestsOptions): { signal?: AbortSignal } => (signal === undefined ? {} : { signal });

async function waitUntilServed(connection: Connection, object: KubeObject, options: ApplyManifestsOptions): Promise<void> {
  const name = object.metadata.name ?? '';
  await waitForObject<CustomResourceDefinition>(
    connection,
    definitions,
    { name },
    (definition) =>
      definition?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
        ? undefined
        : 'its paths are not served yet',
    { timeoutMs: options.timeoutMs ?? 60_000, ...withSignal(options) },
  );
}

/** How people name an object: `Secret default/foo-bar`. */
export function nameOf({ kind, metadata }: KubeObject): string {
  const name = metadata.name ?? metadata.generateName ?? '(no name)';
  return metadata.namespace === undefined ? `${kind} ${name}` : `${kind} ${metadata.namespace}/${name}`;
}
