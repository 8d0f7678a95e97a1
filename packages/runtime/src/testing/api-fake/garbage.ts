import type { OwnerReference } from '#transport/kube-object.ts';
import { crdCleanupFinalizer, isCrd, isNamespace, kindOfCrd } from './built-in.ts';
import { type Deleter, foregroundFinalizer, orphanFinalizer } from './deleter.ts';
import type { Change, History } from './history.ts';
import { keyOf, type ServedKind, type StoredObject } from './kind.ts';
import type { Kinds } from './kinds.ts';
import type { Writer } from './writer.ts';

interface Item {
  readonly kind: ServedKind;
  readonly object: StoredObject;
}

export interface CollectorParts {
  readonly history: History;
  readonly kinds: Kinds;
  readonly writer: Writer;
  readonly deleter: Deleter;
}

const manager = 'kube-controller-manager';

/**
 * What the controller-manager and the API server's own loops do after a deletion: owner garbage collection, emptying of namespaces,
 * removal of a CRD's objects.
 *
 * Guarantees: every step is a write of its own with its own revision, by the same rules as anybody's; `run` returns when nothing is left to do.
 */
export class GarbageCollector {
  readonly #parts: CollectorParts;
  /** uid of an owner -> its dependents by uid. */
  readonly #dependents = new Map<string, Map<string, Item>>();
  readonly #byUid = new Map<string, Item>();
  #queue: (() => void)[] = [];
  #isRunning = false;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** Keeps the graph up to date and notes what to look at; acts only in `run`. */
  observe(change: Change): void {
    const { kind, object, previous, type } = change;
    const uid = object.metadata.uid!;
    for (const owner of previous?.metadata.ownerReferences ?? []) this.#dependents.get(owner.uid)?.delete(uid);
    if (type === 'DELETED') this.#byUid.delete(uid);
    else this.#remember({ kind, object }, uid);
    this.#queue.push(() => this.#afterChange(change));
  }

  run(): void {
    // Its own writes are observed too; they join the queue rather than start a second run.
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next();
    } finally {
      this.#isRunning = false;
    }
  }

  #remember(item: Item, uid: string): void {
    this.#byUid.set(uid, item);
    for (const owner of item.object.metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(owner.uid) ?? new Map<string, Item>();
      this.#dependents.set(owner.uid, dependents.set(uid, item));
    }
  }

  #afterChange({ type, kind, object }: Change): void {
    const uid = object.metadata.uid!;
    if (type === 'DELETED') {
      for (const dependent of this.#dependentsOf(uid)) this.#collect(dependent);
      for (const owner of object.metadata.ownerReferences ?? []) this.#finish(this.#byUid.get(owner.uid));
      this.#finishContainers(kind, object);
      return;
    }
    this.#finish(this.#byUid.get(uid));
    this.#collect(this.#byUid.get(uid));
  }

  /** Deletes an object none of whose owners is left; drops references to those that are gone from one that still has an owner. */
  #collect(item: Item | undefined): void {
    const live = this.#refresh(item);
    const references = live?.object.metadata.ownerReferences ?? [];
    if (live === undefined || references.length === 0) return;
    const solid = references.filter((reference) => this.#stateOf(reference, live.object) === 'solid');
    if (solid.length === references.length) return;
    if (solid.length > 0) this.#patch(live, { ownerReferences: solid });
    else if (live.object.metadata.deletionTimestamp === undefined) this.#delete(live, this.#policyFor(live, references));
  }

  #policyFor(live: Item, references: readonly OwnerReference[]): string | undefined {
    const isWaitedFor = references.some((reference) => this.#stateOf(reference, live.object) === 'waiting');
    return isWaitedFor && this.#dependentsOf(live.object.metadata.uid!).length > 0 ? 'Foreground' : undefined;
  }

  #stateOf({ uid, apiVersion, kind }: OwnerReference, dependent: StoredObject): 'solid' | 'waiting' | 'gone' {
    // An owner of a kind that is not served cannot be looked up, so nothing is deleted on its account.
    if (this.#parts.kinds.findByKind(apiVersion, kind) === undefined) return 'solid';
    const owner = this.#byUid.get(uid);
    if (owner === undefined) return 'gone';
    const isReachable = !owner.kind.type.namespaced || owner.object.metadata.namespace === dependent.metadata.namespace;
    if (!isReachable) return 'gone';
    return isDeletingWith(owner.object, foregroundFinalizer) ? 'waiting' : 'solid';
  }

  /** Does what the finalizers of an object under deletion ask for. */
  #finish(item: Item | undefined): void {
    const live = this.#refresh(item);
    if (live === undefined || live.object.metadata.deletionTimestamp === undefined) return;
    const dependents = this.#dependentsOf(live.object.metadata.uid!);
    if (isDeletingWith(live.object, orphanFinalizer)) {
      for (const dependent of dependents) this.#disown(dependent, live.object.metadata.uid!);
      this.#dropFinalizer(live, orphanFinalizer);
    } else if (isDeletingWith(live.object, foregroundFinalizer)) {
      for (const dependent of dependents) this.#collect(dependent);
      const isBlocked = this.#dependentsOf(live.object.metadata.uid!).some(({ object }) =>
        blocks(object, live.object.metadata.uid!),
      );
      if (!isBlocked) this.#dropFinalizer(live, foregroundFinalizer);
    }
    if (isNamespace(live.kind)) this.#emptyNamespace(live.object.metadata.name!);
    if (isCrd(live.kind)) this.#emptyCrd(live);
  }

  #finishContainers(kind: ServedKind, { metadata }: StoredObject): void {
    const { kinds, history } = this.#parts;
    for (const container of kinds.all().filter((candidate) => isNamespace(candidate) || isCrd(candidate))) {
      for (const object of history.all(container)) {
        const holds = isCrd(container)
          ? object.metadata.name === `${kind.type.plural}.${kind.type.group}`
          : object.metadata.name === metadata.namespace;
        if (holds) this.#finish({ kind: container, object });
      }
    }
  }

  #emptyNamespace(name: string): void {
    const { kinds, history } = this.#parts;
    const inside = kinds.all().filter(({ type }) => type.namespaced);
    const contents = inside.flatMap((kind) =>
      [...history.all(kind)].filter(({ metadata }) => metadata.namespace === name).map((object) => ({ kind, object })),
    );
    for (const item of contents) this.#delete(item, undefined);
    if (contents.some((item) => this.#refresh(item) !== undefined)) return;
    const kind = kinds.find('', 'v1', 'namespaces')!;
    this.#parts.writer.patch(
      { ...target({ kind, object: history.get(kind, `/${name}`)! }), subresource: 'finalize' },
      (live) => ({ ...live, spec: {} }),
    );
  }

  #emptyCrd(live: Item): void {
    const { kinds, history } = this.#parts;
    const { type } = kindOfCrd(live.object);
    const served = kinds.find(type.group, type.version, type.plural);
    const contents = served === undefined ? [] : [...history.all(served)].map((object) => ({ kind: served, object }));
    for (const item of contents) this.#delete(item, undefined);
    if (contents.every((item) => this.#refresh(item) === undefined)) this.#dropFinalizer(live, crdCleanupFinalizer);
  }

  #disown(dependent: Item, uid: string): void {
    const live = this.#refresh(dependent);
    const kept = live?.object.metadata.ownerReferences?.filter((reference) => reference.uid !== uid);
    if (live !== undefined) this.#patch(live, { ownerReferences: kept });
  }

  #dropFinalizer(item: Item, finalizer: string): void {
    const live = this.#refresh(item);
    if (live?.object.metadata.finalizers?.includes(finalizer) !== true) return;
    this.#patch(live, { finalizers: live.object.metadata.finalizers.filter((other) => other !== finalizer) });
  }

  #patch(item: Item, metadata: object): void {
    this.#parts.writer.patch(target(item), (live) => ({ ...live, metadata: { ...live.metadata, ...metadata } }));
  }

  #delete({ kind, object: { metadata } }: Item, propagationPolicy: string | undefined): void {
    if (metadata.deletionTimestamp !== undefined) return;
    this.#parts.deleter.delete(
      { kind, namespace: metadata.namespace, name: metadata.name! },
      { preconditions: { uid: metadata.uid! }, ...(propagationPolicy === undefined ? {} : { propagationPolicy }) },
    );
  }

  #dependentsOf(uid: string): Item[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** The object as it is now; undefined when it is gone or another one has its name. */
  #refresh(item: Item | undefined): Item | undefined {
    if (item === undefined) return undefined;
    const object = this.#parts.history.get(item.kind, keyOf(item.object));
    return object?.metadata.uid === item.object.metadata.uid && object !== undefined ? { kind: item.kind, object } : undefined;
  }
}

const target = ({ kind, object: { metadata } }: Item) => ({
  kind,
  namespace: metadata.namespace,
  name: metadata.name!,
  subresource: undefined,
  manager,
  dryRun: false,
  strict: false,
});

const isDeletingWith = ({ metadata }: StoredObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);

const blocks = ({ metadata }: StoredObject, uid: string): boolean =>
  (metadata.ownerReferences ?? []).some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
