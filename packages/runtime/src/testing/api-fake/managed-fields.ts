import { isDeepStrictEqual } from 'node:util';
import { decodeFields, describePath, encodeFields, type FieldSet, joinPath, nodesOf } from './field-set.ts';
import { apiVersionOf, type ServedKind, type StoredObject } from './kind.ts';
import { Refusal } from './refusal.ts';

/** Who writes: the name given, how, and through which path. Two managers are the same when all three are. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
}

export interface Ownership {
  readonly manager: Manager;
  readonly fields: FieldSet;
  readonly time: string;
}

interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly time: string;
  readonly fieldsV1: Parameters<typeof decodeFields>[0];
}

const sameManager = (a: Manager, b: Manager): boolean =>
  a.name === b.name && a.operation === b.operation && a.subresource === b.subresource;

/** Fields that the system itself keeps; nobody owns them. */
const unowned: FieldSet = new Set(
  [
    ['f:apiVersion'],
    ['f:kind'],
    ['f:metadata'],
    ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'managedFields'].map(
      (field) => ['f:metadata', `f:${field}`],
    ),
    ...['deletionTimestamp', 'deletionGracePeriodSeconds'].map((field) => ['f:metadata', `f:${field}`]),
  ].map(joinPath),
);

export function readOwnerships(object: StoredObject | undefined): Ownership[] {
  return ((object?.metadata.managedFields ?? []) as ManagedFieldsEntry[]).map((entry) => ({
    manager: {
      name: entry.manager,
      operation: entry.operation,
      ...(entry.subresource === undefined ? {} : { subresource: entry.subresource }),
    },
    fields: decodeFields(entry.fieldsV1),
    time: entry.time,
  }));
}

export function writeOwnerships(ownerships: readonly Ownership[], kind: ServedKind): ManagedFieldsEntry[] {
  return ownerships
    .map(({ manager, fields, time }) => ({ manager, fields: fields.difference(unowned), time }))
    .filter(({ fields }) => fields.size > 0)
    .sort(
      (a, b) =>
        a.manager.operation.localeCompare(b.manager.operation) ||
        a.time.localeCompare(b.time) ||
        a.manager.name.localeCompare(b.manager.name) ||
        (a.manager.subresource ?? '').localeCompare(b.manager.subresource ?? ''),
    )
    .map(({ manager: { name, operation, subresource }, fields, time }) => ({
      manager: name,
      operation,
      ...(subresource === undefined ? {} : { subresource }),
      apiVersion: apiVersionOf(kind.type),
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
    }));
}

export interface Comparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** What differs between two states of an object, field by field. */
export function compare(before: unknown, after: unknown, kind: ServedKind): Comparison {
  const old = nodesOf(before ?? {}, kind.schema);
  const now = nodesOf(after, kind.schema);
  const changed = new Set<string>();
  for (const [path, value] of now) {
    if (!old.has(path) || (value !== undefined && !isDeepStrictEqual(old.get(path), value))) changed.add(path);
  }
  const removed = new Set<string>();
  for (const path of old.keys()) if (!now.has(path)) removed.add(path);
  return { changed, removed };
}

/** Ownership after somebody wrote without applying: the writer owns what changed, the others lose it. */
export function afterUpdate(owners: readonly Ownership[], manager: Manager, diff: Comparison, time: string): Ownership[] {
  if (diff.changed.size === 0 && diff.removed.size === 0) return [...owners];
  const own = owners.find((owner) => sameManager(owner.manager, manager));
  const fields = (own?.fields ?? new Set<string>()).difference(diff.removed).union(diff.changed);
  const others = owners.filter((owner) => owner !== own).map((owner) => without(owner, diff));
  return [...others, { manager, fields, time }];
}

/** Ownership after an apply; refuses with a conflict where others own what would change, unless forced. */
export function afterApply(
  owners: readonly Ownership[],
  applied: Ownership,
  diff: Comparison,
  kind: ServedKind,
  force: boolean,
): Ownership[] {
  const others = owners.filter((owner) => !sameManager(owner.manager, applied.manager));
  const conflicts = others.map((owner) => ({ owner, fields: owner.fields.intersection(diff.changed).difference(unowned) }));
  const real = conflicts.filter(({ fields }) => fields.size > 0);
  if (real.length > 0 && !force) throw applyConflict(real, kind);
  return [...others.map((owner) => without(owner, diff)), applied];
}

const without = (owner: Ownership, { changed, removed }: Comparison): Ownership => ({
  ...owner,
  fields: owner.fields.difference(changed).difference(removed),
});

function applyConflict(conflicts: readonly { owner: Ownership; fields: FieldSet }[], kind: ServedKind): Refusal {
  const named = conflicts.map(({ owner, fields }) => ({
    manager: describeManager(owner.manager, kind),
    paths: [...fields].map(describePath),
  }));
  const total = named.reduce((sum, { paths }) => sum + paths.length, 0);
  const sentences = named.map(({ manager, paths }) =>
    paths.length === 1 && total === 1
      ? `conflict with ${manager}: ${paths[0]}`
      : `conflicts with ${manager}:\n- ${paths.join('\n- ')}`,
  );
  const causes = named.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  );
  const message = `Apply failed with ${total} conflict${total === 1 ? '' : 's'}: ${sentences.join('\n')}`;
  return new Refusal({ code: 409, reason: 'Conflict', message, details: { causes } });
}

function describeManager({ name, operation, subresource }: Manager, kind: ServedKind): string {
  const through = subresource === undefined ? '' : ` with subresource "${subresource}"`;
  return `"${name}"${through}${operation === 'Update' ? ` using ${apiVersionOf(kind.type)}` : ''}`;
}
