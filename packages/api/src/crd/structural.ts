import type { TSchema } from 'typebox';

/** A structural OpenAPI v3 schema, as a CRD holds it. */
export type StructuralSchema = { readonly [keyword: string]: unknown };

/** Keywords copied as they are, in the order they are written to the CRD. */
const scalarKeywords = [
  'description',
  'type',
  'anyOf',
  'format',
  'enum',
  'default',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'nullable',
  'required',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const;

const structureKeywords = ['properties', 'items', 'patternProperties'] as const;
const known: ReadonlySet<string> = new Set<string>([...scalarKeywords, ...structureKeywords]);

type Node = Readonly<Record<string, unknown>>;

function children(node: Node, keyword: string): readonly [string, Node][] {
  return Object.entries((node[keyword] ?? {}) as Record<string, Node>);
}

/**
 * Turns a TypeBox schema into a structural schema.
 *
 * Anything a CRD could not express, and any field without a description, is an error here rather than a surprise at
 * `kubectl apply` or an empty line in `kubectl explain`.
 */
export function toStructural(schema: TSchema, path: string): StructuralSchema {
  const node = schema as Node;
  const unknown = Object.keys(node).filter((keyword) => !known.has(keyword));
  if (unknown.length > 0) {
    throw new TypeError(`${path}: a CRD schema cannot express ${unknown.join(', ')}; describe the field with other keywords`);
  }
  if (typeof node.description !== 'string' || node.description === '') {
    throw new TypeError(`${path}: every field needs a description, because kubectl explain and the reference show it`);
  }

  const result: Record<string, unknown> = {};
  for (const keyword of scalarKeywords) {
    if (node[keyword] !== undefined) result[keyword] = node[keyword];
  }
  if (node.properties !== undefined) {
    result.properties = Object.fromEntries(
      children(node, 'properties').map(([name, child]) => [name, toStructural(child, `${path}.${name}`)]),
    );
  }
  if (node.items !== undefined) result.items = toStructural(node.items as TSchema, `${path}[]`);
  const [value, ...more] = children(node, 'patternProperties');
  if (more.length > 0) throw new TypeError(`${path}: a CRD map has one schema for all its values`);
  if (value !== undefined) result.additionalProperties = toStructural(value[1], `${path}{}`);
  return result;
}
