import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '#transport/kube-object.ts';
import type { ServedKind, StoredObject } from './kind.ts';
import { type Manager, type Ownership, writeOwnerships } from './managed-fields.ts';
import { conflict, invalid, type Refusal } from './refusal.ts';

/** Where and how a write is meant. */
export interface WriteTarget {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly manager: string;
  readonly dryRun: boolean;
  readonly strict: boolean;
}

export type UidRefusal = (kind: ServedKind, name: string, why: string) => Refusal;

export const uidIsImmutable: UidRefusal = (kind, name) =>
  invalid(kind, name, [{ reason: 'FieldValueInvalid', message: 'Invalid value: field is immutable', field: 'metadata.uid' }]);

export const managerOf = ({ manager, subresource }: WriteTarget, operation: Manager['operation']): Manager => ({
  name: manager,
  operation,
  ...(subresource === undefined ? {} : { subresource }),
});

export function refuseStale(kind: ServedKind, live: StoredObject, given: ObjectMeta, onUid: UidRefusal): void {
  const name = live.metadata.name!;
  if (given.uid !== undefined && given.uid !== live.metadata.uid) {
    throw onUid(kind, name, `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${live.metadata.uid}`);
  }
  if (given.resourceVersion !== undefined && given.resourceVersion !== live.metadata.resourceVersion) throw conflict(kind, name);
}

export const withoutStatus = (kind: ServedKind, object: StoredObject): StoredObject => {
  if (!kind.hasStatus) return object;
  const { status: _status, ...rest } = object;
  return rest as StoredObject;
};

/** The part of an applied object that its path may write. */
export function writable({ kind, subresource }: WriteTarget, config: StoredObject): StoredObject {
  if (subresource !== 'status') return withoutStatus(kind, config);
  const { apiVersion, kind: name, metadata, status } = config;
  const { name: objectName, namespace } = metadata;
  return {
    apiVersion,
    kind: name,
    metadata: { name: objectName!, ...(namespace === undefined ? {} : { namespace }) },
    ...(status === undefined ? {} : { status }),
  };
}

/** What a write through this path makes of the live object: its status only, all but its status, or what finalizing a namespace may touch. */
export function replacing({ kind, subresource }: WriteTarget, live: StoredObject, body: StoredObject): StoredObject {
  if (subresource === 'status') return withField(live, 'status', body.status);
  if (subresource === 'finalize') return withField(live, 'spec', body.spec);
  return kind.hasStatus ? withField(body, 'status', live.status) : body;
}

function withField(object: StoredObject, field: string, value: unknown): StoredObject {
  const { [field]: _old, ...rest } = object;
  return { ...rest, ...(value === undefined ? {} : { [field]: value }) } as StoredObject;
}

const systemFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
] as const;

export function withSystemFields(
  kind: ServedKind,
  live: StoredObject,
  next: StoredObject,
  owners: readonly Ownership[],
): StoredObject {
  const metadata: Record<string, unknown> = { ...next.metadata, resourceVersion: live.metadata.resourceVersion };
  for (const field of systemFields) {
    if (live.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = live.metadata[field];
  }
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'])
    if (isEmpty(metadata[field])) delete metadata[field];
  if (kind.tracksGeneration && !isDeepStrictEqual(counted(kind, live), counted(kind, next))) {
    metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  metadata.managedFields = writeOwnerships(owners, kind);
  return { ...next, metadata } as StoredObject;
}

/** What the generation counts changes of. */
const counted = (kind: ServedKind, object: StoredObject): unknown =>
  withField(withoutStatus(kind, object), 'metadata', undefined);

const isEmpty = (value: unknown): boolean => value === null || (typeof value === 'object' && Object.keys(value).length === 0);

export function withName(object: StoredObject): StoredObject {
  const { name, generateName } = object.metadata;
  if (name !== undefined || generateName === undefined) return object;
  return { ...object, metadata: { ...object.metadata, name: generateName + randomBytes(3).toString('hex').slice(0, 5) } };
}

export function freshMetadata(kind: ServedKind, given: ObjectMeta, now: string): ObjectMeta {
  const { name, generateName, namespace, labels, annotations, finalizers, ownerReferences } = given;
  const kept = {
    name,
    generateName,
    namespace: kind.type.namespaced ? namespace : undefined,
    labels,
    annotations,
    finalizers,
    ownerReferences,
  };
  const present = Object.entries(kept).filter(([, value]) => value !== undefined && !isEmpty(value));
  return {
    ...Object.fromEntries(present),
    uid: randomUUID(),
    creationTimestamp: now,
    ...(kind.tracksGeneration ? { generation: 1 } : {}),
  };
}

export function refuseNewFinalizers(kind: ServedKind, live: StoredObject, next: StoredObject): void {
  if (live.metadata.deletionTimestamp === undefined) return;
  const fresh = (next.metadata.finalizers ?? []).filter((finalizer) => !(live.metadata.finalizers ?? []).includes(finalizer));
  if (fresh.length === 0) return;
  const list = fresh.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  throw invalid(kind, next.metadata.name!, [{ reason: 'FieldValueForbidden', message, field: 'metadata.finalizers' }]);
}
