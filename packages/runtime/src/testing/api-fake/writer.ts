import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#clock/clock.ts';
import { applyConfig } from './apply.ts';
import { completed, isHeld } from './built-in.ts';
import { namespaceType } from './core-kinds.ts';
import type { History } from './history.ts';
import { objectKey, type ServedKind, type StoredObject } from './kind.ts';
import type { Kinds } from './kinds.ts';
import { afterUpdate, compare, type Ownership, readOwnerships, writeOwnerships } from './managed-fields.ts';
import { readObject, refuseInvalid, refuseUndeclared, shaped } from './object-checks.ts';
import { alreadyExists, conflict, type FailureStatus, invalid, namespaceTerminating, notFound, Refusal } from './refusal.ts';
import {
  freshMetadata,
  managerOf,
  refuseNewFinalizers,
  refuseStale,
  replacing,
  type UidRefusal,
  uidIsImmutable,
  type WriteTarget,
  withName,
  withoutStatus,
  withSystemFields,
  writable,
} from './write-rules.ts';

/** Asked before every write is stored, like an admission policy: a status returned refuses it. */
export type Admission = (write: {
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: ServedKind;
  readonly subresource: string | undefined;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}) => FailureStatus | undefined;

export interface WriterParts {
  readonly history: History;
  readonly kinds: Kinds;
  readonly clock: Clock;
  readonly admit: Admission;
}

/** Creates and changes objects by the API server's rules: what may be written where, who owns it, and when nothing changed. */
export class Writer {
  readonly #parts: WriterParts;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  create(target: WriteTarget, body: unknown): StoredObject {
    const { kind } = target;
    const given = readObject(kind, body, { namespace: target.namespace, name: undefined });
    if (target.strict) refuseUndeclared(kind, given);
    const object = shaped(kind, withoutStatus(kind, given));
    const diff = compare(undefined, object, kind);
    return this.#insert(target, object, afterUpdate([], managerOf(target, 'Update'), diff, this.timestamp()));
  }

  replace(target: WriteTarget, body: unknown): StoredObject {
    const live = this.#live(target);
    const object = readObject(target.kind, body, target);
    if (target.strict) refuseUndeclared(target.kind, object);
    if (object.metadata.resourceVersion === undefined && !target.kind.allowsBlindUpdate) {
      const message = 'Invalid value: 0: must be specified for an update';
      throw invalid(target.kind, target.name!, [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }]);
    }
    return this.#update(target, live, object, conflict);
  }

  patch(target: WriteTarget, change: (live: StoredObject) => unknown): StoredObject {
    const live = this.#live(target);
    return this.#update(target, live, readObject(target.kind, change(live), target), uidIsImmutable);
  }

  apply(target: WriteTarget, body: unknown, force: boolean): { object: StoredObject; created: boolean } {
    const { kind, name } = target;
    const given = readObject(kind, body, target);
    if (given.metadata.managedFields !== undefined) {
      throw new Refusal({ code: 400, reason: 'BadRequest', message: 'metadata.managedFields must be nil' });
    }
    const live = this.#parts.history.get(kind, objectKey(given.metadata.namespace, name!));
    if (live === undefined && (target.subresource !== undefined || name === undefined)) throw notFound(kind, name ?? '');
    if (live === undefined && given.metadata.uid !== undefined) {
      throw conflict(
        kind,
        name!,
        `uid mismatch: the provided object specified uid ${given.metadata.uid}, and no existing object was found`,
      );
    }
    if (live !== undefined) refuseStale(kind, live, given.metadata, uidIsImmutable);
    const { uid: _uid, resourceVersion: _version, ...metadata } = given.metadata;
    const config = writable(target, { ...given, metadata });
    const manager = managerOf(target, 'Apply');
    const { object, owners } = applyConfig({ kind, live, config, manager, force, now: this.timestamp() });
    if (live === undefined) return { object: this.#insert(target, shaped(kind, object), owners), created: true };
    return { object: this.#store(target, live, shaped(kind, object), owners), created: false };
  }

  /** Whole seconds, as the API writes times. */
  timestamp(): string {
    return new Date(this.#parts.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  #live({ kind, namespace, name }: WriteTarget): StoredObject {
    const live = this.#parts.history.get(kind, objectKey(namespace, name!));
    if (live === undefined) throw notFound(kind, name!);
    return live;
  }

  #insert(target: WriteTarget, object: StoredObject, owners: readonly Ownership[]): StoredObject {
    const { kind } = target;
    const named = withName(object);
    this.#refuseNamespace(kind, named);
    if (named.metadata.resourceVersion !== undefined) {
      throw new Refusal({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
    }
    refuseInvalid(kind, named);
    const created = completed(kind, {
      ...named,
      metadata: { ...freshMetadata(kind, named.metadata, this.timestamp()), managedFields: writeOwnerships(owners, kind) },
    });
    this.#admit('create', target, created, undefined);
    if (this.#parts.history.get(kind, objectKey(created.metadata.namespace, created.metadata.name!)) !== undefined) {
      throw alreadyExists(kind, created.metadata.name!);
    }
    return target.dryRun ? created : this.#parts.history.put(kind, created);
  }

  #update(target: WriteTarget, live: StoredObject, body: StoredObject, onUid: UidRefusal): StoredObject {
    const { kind } = target;
    refuseStale(kind, live, body.metadata, onUid);
    const next = shaped(kind, replacing(target, live, body));
    const diff = compare(live, next, kind);
    // A client may edit the ownership itself; leaving it out keeps it.
    const given = (body.metadata.managedFields ?? []).length > 0 ? body : live;
    const owners = afterUpdate(readOwnerships(given), managerOf(target, 'Update'), diff, this.timestamp());
    return this.#store(target, live, next, owners);
  }

  #store(target: WriteTarget, live: StoredObject, wanted: StoredObject, owners: readonly Ownership[]): StoredObject {
    const { kind, dryRun } = target;
    const next = withSystemFields(kind, live, wanted, owners);
    refuseInvalid(kind, next);
    refuseNewFinalizers(kind, live, next);
    if (isDeepStrictEqual(live, next)) return live;
    this.#admit('update', target, next, live);
    if (dryRun) return next;
    if (next.metadata.deletionTimestamp === undefined || isHeld(kind, next)) return this.#parts.history.put(kind, next);
    // The last finalizer is gone: this write is the deletion, and nobody sees a change before it.
    this.#parts.history.remove(kind, objectKey(next.metadata.namespace, next.metadata.name!));
    return next;
  }

  #refuseNamespace(kind: ServedKind, { metadata }: StoredObject): void {
    if (!kind.type.namespaced) return;
    const namespaces = this.#parts.kinds.find('', 'v1', namespaceType.plural)!;
    const namespace = this.#parts.history.get(namespaces, objectKey(undefined, metadata.namespace ?? ''));
    if (namespace === undefined) throw notFound(namespaces, metadata.namespace ?? '');
    if (namespace.metadata.deletionTimestamp !== undefined)
      throw namespaceTerminating(kind, metadata.name ?? '', metadata.namespace!);
  }

  #admit(
    verb: 'create' | 'update',
    { kind, subresource }: WriteTarget,
    object: StoredObject,
    previous: StoredObject | undefined,
  ): void {
    const refusal = this.#parts.admit({ verb, kind, subresource, object, previous });
    if (refusal !== undefined) throw new Refusal(refusal);
  }
}
