import { identityOf, isAtomicMap, isMap, isMapKey, type Schema, schemaOfField } from './schema.ts';

/**
 * Sets of field paths in the notation of managedFields: `f:name` a field, `k:{...}` the list item with these keys, `v:...` the item of a set.
 * A path is kept as one string, so that the set operations of the language apply.
 */
export type FieldSet = ReadonlySet<string>;

const separator = '\u0000';

export const joinPath = (elements: readonly string[]): string => elements.join(separator);
const splitPath = (path: string): string[] => path.split(separator);

/** The path element of an item of a list whose items have an identity. */
export function itemElement(item: unknown, identity: 'value' | readonly string[]): string {
  if (identity === 'value') return `v:${JSON.stringify(item)}`;
  const fields = isMap(item) ? item : {};
  const keys = [...identity].sort().filter((key) => fields[key] !== undefined);
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, fields[key]])))}`;
}

/** What somebody who applies this value says to own: its leaves, the items of keyed lists, the entries of maps. */
export function appliedFields(value: unknown, schema: Schema | undefined): Set<string> {
  const fields = new Set<string>();
  visit(value, schema, [], (path, node) => {
    if (path.length > 0 && (node.isLeaf || node.isItem)) fields.add(joinPath(path));
  });
  return fields;
}

/** Every node of a value, containers included; leaves map to their value, containers to undefined. */
export function nodesOf(value: unknown, schema: Schema | undefined): Map<string, unknown> {
  const nodes = new Map<string, unknown>();
  visit(value, schema, [], (path, node) => {
    if (path.length > 0) nodes.set(joinPath(path), node.isLeaf ? node.value : undefined);
  });
  return nodes;
}

interface Node {
  readonly value: unknown;
  readonly isLeaf: boolean;
  /** An item of a keyed list or an entry of a map: owned as a whole, too. */
  readonly isItem: boolean;
}

function visit(
  value: unknown,
  schema: Schema | undefined,
  path: readonly string[],
  see: (path: readonly string[], node: Node) => void,
  isItem = false,
): void {
  const identity = identityOf(schema);
  if (isMap(value) && !isAtomicMap(schema)) {
    const entries = Object.entries(value).filter(([, child]) => child !== undefined);
    see(path, { value, isLeaf: entries.length === 0, isItem });
    for (const [field, child] of entries) {
      visit(child, schemaOfField(schema, field), [...path, `f:${field}`], see, isMapKey(schema, field));
    }
  } else if (Array.isArray(value) && identity !== undefined) {
    see(path, { value, isLeaf: value.length === 0, isItem });
    for (const item of value) visit(item, schema?.items, [...path, itemElement(item, identity)], see, true);
  } else {
    see(path, { value, isLeaf: true, isItem });
  }
}

/** The set with every declared field on the way to its members: removing all of a struct's fields removes the struct. */
export function withNamedAncestors(fields: FieldSet, schema: Schema): Set<string> {
  const all = new Set(fields);
  for (const path of fields) {
    const elements = splitPath(path);
    let at: Schema | undefined = schema;
    for (const [index, element] of elements.entries()) {
      const field = element.startsWith('f:') ? element.slice(2) : undefined;
      if (field !== undefined && !isMapKey(at, field)) all.add(joinPath(elements.slice(0, index + 1)));
      at = field === undefined ? at?.items : schemaOfField(at, field);
    }
  }
  return all;
}

/** The value without the given fields; a list or map that loses its last item is dropped with them. */
export function withoutFields(
  value: unknown,
  schema: Schema | undefined,
  fields: FieldSet,
  path: readonly string[] = [],
): unknown {
  const identity = identityOf(schema);
  if (isMap(value) && !isAtomicMap(schema)) {
    const kept: Record<string, unknown> = {};
    for (const [field, child] of Object.entries(value)) {
      const at = [...path, `f:${field}`];
      if (fields.has(joinPath(at))) continue;
      const rest = withoutFields(child, schemaOfField(schema, field), fields, at);
      if (rest !== undefined) kept[field] = rest;
    }
    return kept;
  }
  if (Array.isArray(value) && identity !== undefined) {
    const kept = value.filter((item) => !fields.has(joinPath([...path, itemElement(item, identity)])));
    if (kept.length === 0 && value.length > 0) return undefined;
    return kept.map((item) => withoutFields(item, schema?.items, fields, [...path, itemElement(item, identity)]));
  }
  return value;
}

type FieldsV1 = { readonly [element: string]: FieldsV1 };

export function encodeFields(fields: FieldSet): FieldsV1 {
  type Tree = { [element: string]: Tree };
  const root: Tree = {};
  for (const path of [...fields].sort()) {
    let node = root;
    for (const element of splitPath(path)) node = node[element] ??= {};
    node['.'] = {};
  }
  // `.` is written only where a member has members below it.
  const tidy = (node: Tree): void => {
    if (Object.keys(node).length === 1) delete node['.'];
    for (const [element, child] of Object.entries(node)) if (element !== '.') tidy(child);
  };
  tidy(root);
  return root;
}

export function decodeFields(encoded: FieldsV1): Set<string> {
  const fields = new Set<string>();
  const walk = (node: FieldsV1, path: readonly string[]): void => {
    const entries = Object.entries(node);
    if (path.length > 0 && (entries.length === 0 || node['.'] !== undefined)) fields.add(joinPath(path));
    for (const [element, child] of entries) if (element !== '.') walk(child, [...path, element]);
  };
  walk(encoded, []);
  return fields;
}

/** `.spec.ports[name="http"].port`, as refusals name fields. */
export function describePath(path: string): string {
  return splitPath(path)
    .map((element) => {
      const [, sort, text = ''] = /^([fkv]):(.*)$/s.exec(element) ?? [];
      if (sort === 'f') return `.${text}`;
      if (sort === 'v') return `[=${text}]`;
      const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}
