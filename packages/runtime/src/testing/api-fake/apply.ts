import { appliedFields, type FieldSet, itemElement, joinPath, withNamedAncestors, withoutFields } from './field-set.ts';
import type { ServedKind, StoredObject } from './kind.ts';
import { afterApply, compare, type Manager, type Ownership, readOwnerships } from './managed-fields.ts';
import { Refusal } from './refusal.ts';
import { identityOf, isAtomicMap, isMap, type Schema, schemaOfField } from './schema.ts';
import { undeclared } from './structural.ts';

export interface ApplyInput {
  readonly kind: ServedKind;
  readonly live: StoredObject | undefined;
  /** What the applier sent, already without the fields this path may not write. */
  readonly config: StoredObject;
  readonly manager: Manager;
  readonly force: boolean;
  readonly now: string;
}

export interface ApplyOutput {
  readonly object: StoredObject;
  readonly owners: readonly Ownership[];
}

/** Server-side apply: merges what is given, removes what the applier gave before and nobody else owns, and settles who owns what. */
export function applyConfig({ kind, live, config, manager, force, now }: ApplyInput): ApplyOutput {
  checkTyped(kind, config);
  const owners = readOwnerships(live);
  const merged = merge(live ?? {}, config, kind.schema);
  const fields = appliedFields(config, kind.schema);
  const previous = owners.find(
    (owner) =>
      owner.manager.operation === 'Apply' &&
      owner.manager.name === manager.name &&
      owner.manager.subresource === manager.subresource,
  );
  const others = owners.filter((owner) => owner !== previous);
  const object = giveUp(merged, kind, previous?.fields, [fields, ...others.map((owner) => owner.fields)]) as StoredObject;
  const own = withoutSystemFields(fields);
  const isSame = previous !== undefined && previous.fields.symmetricDifference(own).size === 0;
  const applied = { manager, fields: own, time: isSame ? previous.time : now };
  return { object, owners: afterApply(owners, applied, compare(live, object, kind), kind, force) };
}

/** Fields given up disappear unless somebody else owns them, and so does a struct in which nobody owns anything any more. */
function giveUp(merged: unknown, kind: ServedKind, before: FieldSet | undefined, owned: readonly FieldSet[]): unknown {
  if (before === undefined) return merged;
  const kept = withNamedAncestors(
    owned.reduce<Set<string>>((all, fields) => all.union(fields), new Set()),
    kind.schema,
  );
  const dropped = withNamedAncestors(before, kind.schema).difference(kept);
  dropped.delete(joinPath(['f:metadata']));
  return withoutFields(merged, kind.schema, dropped);
}

const systemFields: FieldSet = new Set(
  [['f:apiVersion'], ['f:kind'], ['f:metadata'], ['f:metadata', 'f:name'], ['f:metadata', 'f:namespace']].map(joinPath),
);
const withoutSystemFields = (fields: FieldSet): FieldSet => fields.difference(systemFields);

function merge(live: unknown, config: unknown, schema: Schema | undefined): unknown {
  if (isMap(config) && !isAtomicMap(schema)) {
    const merged: Record<string, unknown> = isMap(live) ? { ...live } : {};
    for (const [field, value] of Object.entries(config))
      merged[field] = merge(merged[field], value, schemaOfField(schema, field));
    return merged;
  }
  const identity = identityOf(schema);
  if (Array.isArray(config) && identity !== undefined && Array.isArray(live))
    return mergeLists(live, config, identity, schema?.items);
  return config;
}

/** Items only the live list has stay where they are; the rest comes in the order of the applied list. */
function mergeLists(
  live: readonly unknown[],
  config: readonly unknown[],
  identity: 'value' | readonly string[],
  schema: Schema | undefined,
): unknown[] {
  const liveItems = live.map((item) => [itemElement(item, identity), item] as const);
  const liveByElement = new Map(liveItems);
  const wanted = config.map((item) => [itemElement(item, identity), item] as const);
  const wantedElements = new Set(wanted.map(([element]) => element));
  const shared = wanted.map(([element]) => element).filter((element) => liveByElement.has(element));
  const merged: unknown[] = [];
  let at = 0;
  for (const [element, item] of liveItems) {
    if (!wantedElements.has(element)) merged.push(item);
    else if (element === shared[0]) at = takeUntil(element);
  }
  while (at < wanted.length) at = takeUntil(wanted[at]![0]);
  return merged;

  function takeUntil(element: string): number {
    for (; at < wanted.length; at++) {
      const [next, value] = wanted[at]!;
      merged.push(liveByElement.has(next) ? merge(liveByElement.get(next), value, schema) : value);
      if (shared[0] === next) shared.shift();
      if (next === element) return at + 1;
    }
    return at;
  }
}

function checkTyped(kind: ServedKind, config: StoredObject): void {
  const { apiVersion, kind: name, metadata, ...rest } = config;
  const [unknown] = kind.isStructural ? undeclared(rest, kind.schema) : [];
  const problem = unknown === undefined ? firstBadItem(config, kind.schema, '') : `.${unknown}: field not declared in schema`;
  if (problem === undefined) return;
  const where = `${metadata.namespace ?? ''}/${metadata.name}; ${apiVersion}, Kind=${name}`;
  throw new Refusal({ code: 500, message: `failed to create typed patch object (${where}): ${problem}` });
}

/** Items of keyed lists must have their keys, and no two the same ones. */
function firstBadItem(value: unknown, schema: Schema | undefined, path: string): string | undefined {
  if (isMap(value)) {
    for (const [field, child] of Object.entries(value)) {
      const problem = firstBadItem(child, schemaOfField(schema, field), `${path}.${field}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const identity = identityOf(schema);
  if (!Array.isArray(value) || identity === undefined) return undefined;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const element = itemElement(item, identity);
    if (element === 'k:{}')
      return `${path}: element ${index}: associative list with keys has an element that omits all key fields`;
    if (seen.has(element)) return `${path}: duplicate entries for key ${element.slice(2)}`;
    seen.add(element);
  }
  return undefined;
}
