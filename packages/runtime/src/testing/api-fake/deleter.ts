import { isHeld, isNamespace } from './built-in.ts';
import { keyOf, objectKey, type ServedKind, type StoredObject } from './kind.ts';
import { badRequest, conflict, notFound, Refusal } from './refusal.ts';
import type { Writer, WriterParts } from './writer.ts';

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly dryRun?: boolean;
}

export interface DeleteTarget {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Finalizers by which the API server asks the garbage collector for more than plain deletion. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** Deletes objects, or marks those that somebody must finish first. */
export class Deleter {
  readonly #parts: WriterParts;
  readonly #writer: Writer;

  constructor(parts: WriterParts, writer: Writer) {
    this.#parts = parts;
    this.#writer = writer;
  }

  /** The object still there with its deletion marked, or undefined when it is gone. */
  delete({ kind, namespace, name }: DeleteTarget, options: DeleteOptions): StoredObject | undefined {
    const { history } = this.#parts;
    const live = history.get(kind, objectKey(namespace, name));
    if (live === undefined) throw notFound(kind, name);
    refuseUnmet(kind, live, options);
    const refusal = this.#parts.admit({ verb: 'delete', kind, subresource: undefined, object: live, previous: live });
    if (refusal !== undefined) throw new Refusal(refusal);
    const next = { ...live, metadata: { ...live.metadata, finalizers: finalizersFor(live, options.propagationPolicy) } };
    if (!isHeld(kind, next)) {
      if (options.dryRun !== true) history.remove(kind, keyOf(live));
      return undefined;
    }
    const marked = this.#marked(kind, live, next);
    return options.dryRun === true || marked === live ? marked : history.put(kind, marked);
  }

  #marked(kind: ServedKind, live: StoredObject, next: StoredObject): StoredObject {
    const { finalizers = [] } = next.metadata;
    const hasNewFinalizers = finalizers.length !== (live.metadata.finalizers ?? []).length;
    if (live.metadata.deletionTimestamp !== undefined && !hasNewFinalizers) return live;
    const isFirst = live.metadata.deletionTimestamp === undefined;
    const { finalizers: _finalizers, ...metadata } = live.metadata;
    return {
      ...live,
      metadata: {
        ...metadata,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        ...(isFirst ? { deletionTimestamp: this.#writer.timestamp() } : {}),
        ...(isFirst && !isNamespace(kind) ? { deletionGracePeriodSeconds: 0 } : {}),
        // Marking counts as a change of what is wanted, so that controllers that compare generations look again.
        ...(isFirst && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
      },
      ...(isNamespace(kind) ? { status: { ...(live.status as object), phase: 'Terminating' } } : {}),
    };
  }
}

function refuseUnmet(
  kind: ServedKind,
  { metadata }: StoredObject,
  { preconditions: { uid, resourceVersion } = {} }: DeleteOptions,
): void {
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, metadata.name!, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(kind, metadata.name!, why);
  }
}

/** A later call may change the policy of an earlier one. Without a policy what the object says already stands. */
function finalizersFor({ metadata: { finalizers = [] } }: StoredObject, policy: string | undefined): readonly string[] {
  const others = finalizers.filter((finalizer) => finalizer !== foregroundFinalizer && finalizer !== orphanFinalizer);
  switch (policy) {
    case undefined:
      return finalizers;
    case 'Background':
      return others;
    case 'Foreground':
      return [...others, foregroundFinalizer];
    case 'Orphan':
      return [...others, orphanFinalizer];
    default:
      throw badRequest(
        `propagationPolicy: Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan"`,
      );
  }
}
