import type { Shown } from '#informer/informers.ts';
import { ApiError, isAlreadyExists, isNotFound } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { type CallOptions, type DeleteOptions, Resource, type ResourceType } from '#transport/resource.ts';
import { AppliedMemory } from './applied-memory.ts';
import { isCovered } from './coverage.ts';
import { digest, isSameJson } from './digest.ts';
import { convertOwnership } from './field-ownership.ts';
import { controllerUid, ForeignObjectError } from './owner-reference.ts';

/** What a Writer writes through, under which name, and who is told. Controllers make theirs themselves. */
export interface WriterOptions {
  readonly api: ApiTransport;
  readonly fieldManager: string;
  readonly signal?: AbortSignal;
  readonly memory?: AppliedMemory;
  /** Told of each object as a write left it, and whether this version is certainly the write's own work. */
  readonly wrote?: (type: ResourceType, answer: KubeObject, isOurs: boolean) => void;
  /** Whether the caches show an object. Absent: there are none. */
  readonly shown?: (type: ResourceType, object: KubeObject) => Shown;
  /** Told of each object that is gone by our delete. */
  readonly removed?: (type: ResourceType, object: KubeObject) => void;
}

/** Where a child carries the fingerprint of the manifest it was made from; it shows also what a newer manifest leaves out. */
export const appliedAnnotation = 'runtime.terrain.dev/applied';
/** Made by POST: ownership is converted before the first apply. */
const created = 'created:';
const applied = 'applied:';

/**
 * Writes that cannot go wrong late: each names the very object, and the version of it, that it was decided on.
 *
 * Guarantees: nothing is sent that would change nothing; a child is never created twice, taken over from another owner, or brought back from the
 * dead; a write decided on an old version is refused by the server (409) instead of undoing somebody's work.
 * Assumptions: observed objects come from a cache or an answer and are not edited.
 * Caveats: a manifest that the server stores in other words (`1000m` as `1`) is recognised only by the process that sent it; after a restart it
 * is sent once more. Write manifests the way the server shows them.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #memory: AppliedMemory;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#memory = options.memory ?? new AppliedMemory();
  }

  /**
   * Makes a child be as desired and returns it as it is then. `observed` is the child as the cache shows it, undefined if it does not.
   *
   * `desired` is the complete manifest: what an earlier one said and this one does not is removed. A child on its way out is left alone.
   */
  async child<T extends KubeObject>(type: ResourceType, desired: T, observed: T | undefined): Promise<T> {
    const fingerprint = digest(desired);
    if (observed !== undefined) return this.#update(type, desired, observed, fingerprint);
    const { shown = () => 'never' } = this.#options;
    const wasHidden = shown(type, desired) === 'not yet';
    try {
      const answer = await this.#resource<T>(type).create(stamp(desired, created + fingerprint), {
        fieldManager: this.#options.fieldManager,
        ...this.#call(),
      });
      this.#noted(type, answer, true);
      this.#memory.note(memoryId(answer), desired, answer, isCovered(desired, answer));
      return answer;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // The answer to our own POST was lost, the cache is behind, or the name is taken: only a live read tells.
      const { name = '', namespace } = desired.metadata;
      const live = await this.#resource<T>(type).get({ name, namespace }, this.#call());
      this.#noted(type, live, false);
      // What is desired came from caches just as old: it would undo what the child was made from. One that no cache will show is another matter.
      if (wasHidden && shown(type, live) !== 'never' && isSameOwner(desired, live) && !isMadeFrom(live, fingerprint))
        throw hidden(live);
      return this.#update(type, desired, live, fingerprint);
    }
  }

  /**
   * Creates a child that nobody changes afterwards, such as one whose spec is immutable. One that is there already is returned as it is, if it has
   * the same controller: the caller judges whether it is the one that was meant.
   */
  async create<T extends KubeObject>(type: ResourceType, desired: T): Promise<T> {
    const resource = this.#resource<T>(type);
    try {
      const answer = await resource.create(desired, { fieldManager: this.#options.fieldManager, ...this.#call() });
      this.#noted(type, answer, true);
      return answer;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name = '', namespace } = desired.metadata;
      const live = await resource.get({ name, namespace }, this.#call());
      if (controllerUid(desired) !== controllerUid(live)) throw new ForeignObjectError(live);
      this.#noted(type, live, false);
      return live;
    }
  }

  /** Writes the status of an object, unless it is that already. Fields we gave before and leave out now are removed. */
  async status<T extends KubeObject & { readonly status?: unknown }>(
    type: ResourceType,
    observed: T,
    status: NonNullable<T['status']>,
  ): Promise<T> {
    const id = `${memoryId(observed)}/status`;
    if (isSameJson(observed.status, status) || this.#memory.matches(id, status, observed.status)) return observed;
    const body = { ...identify(observed), status } as unknown as T;
    const answer = await this.#resource<T>(type).apply(body, { ...this.#applying(), subresource: 'status' });
    this.#noted(type, answer, answer.metadata.resourceVersion !== observed.metadata.resourceVersion);
    this.#memory.note(id, status, answer.status, isSameJson(answer.status, status));
    return answer;
  }

  /**
   * Deletes just this object in just this version, or in any if none is given. `gone` when it is, `going` when finalizers or dependents hold it.
   *
   * An object that is gone already is `gone`.
   */
  async delete(
    type: ResourceType,
    observed: KubeObject,
    options: Pick<DeleteOptions, 'propagationPolicy' | 'gracePeriodSeconds'> = {},
  ): Promise<'gone' | 'going'> {
    const { name = '', namespace, uid, resourceVersion } = observed.metadata;
    try {
      const answer = await this.#resource(type).delete(
        { name, namespace },
        { propagationPolicy: 'Background', ...options, ...preconditions(uid, resourceVersion), ...this.#call() },
      );
      if (answer !== undefined) {
        // Only a delete that names a version tells the one it made from one that was there: another may have deleted it before, and changed it.
        this.#noted(type, answer, resourceVersion !== undefined && answer.metadata.resourceVersion !== resourceVersion);
        return 'going';
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#options.removed?.(type, observed);
    return 'gone';
  }

  /** Adds a finalizer of ours; the answer carries it. */
  addFinalizer<T extends KubeObject>(type: ResourceType, observed: T, finalizer: string): Promise<T> {
    const known = observed.metadata.finalizers ?? [];
    return known.includes(finalizer) ? Promise.resolve(observed) : this.#setFinalizers(type, observed, [...known, finalizer]);
  }

  /** Removes a finalizer of ours. Undefined when the object is gone, which for the last finalizer of a deleted object is the aim. */
  async removeFinalizer<T extends KubeObject>(type: ResourceType, observed: T, finalizer: string): Promise<T | undefined> {
    const known = observed.metadata.finalizers ?? [];
    if (!known.includes(finalizer)) return observed;
    const rest = known.filter((name) => name !== finalizer);
    try {
      const answer = await this.#setFinalizers(type, observed, rest);
      if (rest.length > 0 || answer.metadata.deletionTimestamp === undefined) return answer;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#options.removed?.(type, observed);
    return undefined;
  }

  async #update<T extends KubeObject>(type: ResourceType, desired: T, observed: T, fingerprint: string): Promise<T> {
    const stamped = observed.metadata.annotations?.[appliedAnnotation];
    const controller = controllerUid(desired);
    // Without a controller to tell whose it is, only our own stamp does.
    if (controller !== controllerUid(observed) || (controller === undefined && stamped === undefined))
      throw new ForeignObjectError(observed);
    if (observed.metadata.deletionTimestamp !== undefined) return observed;
    if (
      isMadeFrom(observed, fingerprint) &&
      (isCovered(desired, observed) || this.#memory.matches(memoryId(observed), desired, observed))
    )
      return observed;
    let base = observed;
    if (stamped?.startsWith(created) === true) {
      const { api, fieldManager, signal } = this.#options;
      const converted = await convertOwnership(api, type, observed, fieldManager, signal);
      if (converted !== undefined) {
        this.#noted(type, converted, true);
        base = converted;
      }
    }
    const { uid, resourceVersion } = base.metadata;
    const body = stamp(desired, applied + fingerprint);
    const answer = await this.#resource<T>(type).apply(
      { ...body, metadata: { ...body.metadata, uid, resourceVersion } },
      this.#applying(),
    );
    this.#noted(type, answer, answer.metadata.resourceVersion !== resourceVersion);
    this.#memory.note(memoryId(answer), desired, answer, isCovered(desired, answer));
    return answer;
  }

  /** By merge patch, not apply: whoever else claims the finalizer as his field could otherwise keep it alive. */
  async #setFinalizers<T extends KubeObject>(type: ResourceType, observed: T, finalizers: readonly string[]): Promise<T> {
    const { name = '', namespace, uid, resourceVersion } = observed.metadata;
    const answer = await this.#resource<T>(type).mergePatch(
      { name, namespace },
      { metadata: { uid, resourceVersion, finalizers } },
      { fieldManager: this.#options.fieldManager, ...this.#call() },
    );
    this.#noted(type, answer, true);
    return answer;
  }

  #resource<T extends KubeObject>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.#options.api, type);
  }

  #noted(type: ResourceType, answer: KubeObject, isOurs: boolean): void {
    this.#options.wrote?.(type, answer, isOurs);
  }

  #call(): CallOptions {
    const { signal } = this.#options;
    return { withoutManagedFields: true, ...(signal === undefined ? {} : { signal }) };
  }

  #applying(): { fieldManager: string; force: true } & CallOptions {
    return { fieldManager: this.#options.fieldManager, force: true, ...this.#call() };
  }
}

function stamp<T extends KubeObject>(desired: T, fingerprint: string): T {
  const annotations = { ...desired.metadata.annotations, [appliedAnnotation]: fingerprint };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

function isMadeFrom(object: KubeObject, fingerprint: string): boolean {
  const stamped = object.metadata.annotations?.[appliedAnnotation];
  return stamped === created + fingerprint || stamped === applied + fingerprint;
}

function isSameOwner(desired: KubeObject, object: KubeObject): boolean {
  return controllerUid(desired) === controllerUid(object);
}

function hidden({ kind, metadata: { namespace, name, resourceVersion } }: KubeObject): ApiError {
  const where = namespace === undefined ? name : `${namespace}/${name}`;
  const message = `${kind} ${where} exists in version ${resourceVersion}, which the cache did not show; what to do with it is decided when it does`;
  return new ApiError(409, { reason: 'Conflict', message }, 'not sent');
}

function identify({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { ...(namespace === undefined ? {} : { namespace }), ...pick({ name, uid, resourceVersion }) },
  };
}

function preconditions(uid: string | undefined, resourceVersion: string | undefined): DeleteOptions {
  return pick({ uid, resourceVersion });
}

/** The entries that have a value. */
function pick<K extends string>(record: Record<K, string | undefined>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Partial<Record<K, string>>;
}

function memoryId(object: KubeObject): string {
  return object.metadata.uid ?? '';
}
