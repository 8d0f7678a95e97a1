/** The part of OpenAPI v3 that structural schemas of CRDs use and the fake understands; the rest is ignored. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

const stringMap: Schema = { type: 'object', additionalProperties: { type: 'string' } };

/** metadata is the same for every kind, whatever its own schema says. */
export const metadataSchema: Schema = {
  type: 'object',
  properties: {
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ownerReferences: listByKeys('uid'),
  },
  'x-kubernetes-preserve-unknown-fields': true,
};

/** A list whose items are told apart by some of their fields. */
export function listByKeys(...keys: readonly string[]): Schema {
  return {
    type: 'array',
    items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

/** A map from any key to text, each entry owned by itself. */
export const mapOfStrings = stringMap;

/** Nests schemas under dotted paths: `{'spec.ports': listByKeys('port')}`. */
export function schemaOf(paths: Readonly<Record<string, Schema>>): Schema {
  let root: Schema = { type: 'object', properties: { metadata: metadataSchema } };
  for (const [path, schema] of Object.entries(paths)) root = withPath(root, path.split('.'), schema);
  return root;
}

function withPath(schema: Schema, [head, ...tail]: readonly string[], leaf: Schema): Schema {
  if (head === undefined) return leaf;
  // `[]` steps into the items of a list.
  if (head === '[]') return { ...schema, items: withPath(schema.items ?? {}, tail, leaf) };
  const child = schema.properties?.[head] ?? { type: 'object' };
  return { ...schema, properties: { ...schema.properties, [head]: withPath(child, tail, leaf) } };
}

/** Undefined where nothing is declared: then maps merge key by key and lists are one value. */
export function schemaOfField(schema: Schema | undefined, field: string): Schema | undefined {
  const declared = schema?.properties?.[field];
  if (declared !== undefined) return declared;
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** Whether the field is a key of a map, so that the entry as a whole can be owned. */
export function isMapKey(schema: Schema | undefined, field: string): boolean {
  return schema?.additionalProperties !== undefined && schema.properties?.[field] === undefined;
}

export const isAtomicMap = (schema: Schema | undefined): boolean => schema?.['x-kubernetes-map-type'] === 'atomic';

/** How the items of a list are told apart; undefined for a list that is one value. */
export function identityOf(schema: Schema | undefined): 'value' | readonly string[] | undefined {
  if (schema?.['x-kubernetes-list-type'] === 'set') return 'value';
  return schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
}

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
