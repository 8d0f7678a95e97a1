import type { StatusCause } from '#transport/api-error.ts';
import { isMap, type Schema, schemaOfField } from './schema.ts';

/** Drops what the schema does not declare, and nulls where null is no value, as the API server does for custom kinds. */
export function pruned(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return schema.items === undefined ? value : value.map((item) => pruned(item, schema.items!));
  if (!isMap(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [field, child] of Object.entries(value)) {
    const childSchema = schemaOfField(schema, field);
    if (childSchema !== undefined) {
      if (child !== null || childSchema.nullable === true || childSchema.default === undefined)
        kept[field] = pruned(child, childSchema);
    } else if (schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true) {
      kept[field] = child;
    }
  }
  return kept;
}

/** Paths that `pruned` would drop, for requests that ask for strictness. */
export function undeclared(value: unknown, schema: Schema, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => undeclared(item, schema.items ?? {}, `${path}[${index}]`));
  if (!isMap(value) || schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true) return [];
  return Object.entries(value).flatMap(([field, child]) => {
    const at = path === '' ? field : `${path}.${field}`;
    const childSchema = schemaOfField(schema, field);
    return childSchema === undefined ? [at] : undeclared(child, childSchema, at);
  });
}

/** Fills in declared defaults, also inside values that were given. */
export function defaulted(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return schema.items === undefined ? value : value.map((item) => defaulted(item, schema.items!));
  if (!isMap(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [field, child] of Object.entries(schema.properties ?? {})) {
    if (filled[field] === undefined && child.default !== undefined) filled[field] = structuredClone(child.default);
  }
  for (const [field, child] of Object.entries(filled)) {
    const childSchema = schemaOfField(schema, field);
    if (childSchema !== undefined) filled[field] = defaulted(child, childSchema);
  }
  return filled;
}

/** Every reason why the value does not fit the schema. */
export function violations(value: unknown, schema: Schema, path: string): StatusCause[] {
  const wrongType = typeViolation(value, schema, path);
  if (wrongType !== undefined) return [wrongType];
  if (typeof value === 'number') return numberViolations(value, schema, path);
  if (typeof value === 'string') return stringViolations(value, schema, path);
  if (Array.isArray(value)) return listViolations(value, schema, path);
  return isMap(value) ? mapViolations(value, schema, path) : [];
}

function typeViolation(value: unknown, schema: Schema, path: string): StatusCause | undefined {
  const allowed = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : [schema.type ?? typeName(value)];
  const actual = typeName(value);
  if (allowed.includes(actual) || (value === null && schema.nullable === true)) return undefined;
  if (schema.type === 'number' && actual === 'integer') return undefined;
  const message = `Invalid value: "${actual}": ${path} in body must be of type ${allowed.join(',')}: "${actual}"`;
  return { reason: 'FieldValueTypeInvalid', message, field: path };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const bad = (path: string, value: unknown, rule: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${path} in body ${rule}`,
  field: path,
});

function numberViolations(value: number, { minimum, maximum }: Schema, path: string): StatusCause[] {
  const found: StatusCause[] = [];
  if (minimum !== undefined && value < minimum) found.push(bad(path, value, `should be greater than or equal to ${minimum}`));
  if (maximum !== undefined && value > maximum) found.push(bad(path, value, `should be less than or equal to ${maximum}`));
  return found;
}

function stringViolations(value: string, schema: Schema, path: string): StatusCause[] {
  const { minLength, maxLength, pattern } = schema;
  const found: StatusCause[] = [];
  if (minLength !== undefined && value.length < minLength)
    found.push(bad(path, value, `should be at least ${minLength} chars long`));
  if (maxLength !== undefined && value.length > maxLength) {
    found.push({ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${maxLength} bytes`, field: path });
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) found.push(bad(path, value, `should match '${pattern}'`));
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const supported = schema.enum.map((choice) => JSON.stringify(choice)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
    found.push({ reason: 'FieldValueNotSupported', message, field: path });
  }
  return found;
}

function listViolations(value: readonly unknown[], { items, minItems, maxItems }: Schema, path: string): StatusCause[] {
  const found = value.flatMap((item, index) => violations(item, items ?? {}, `${path}[${index}]`));
  if (minItems !== undefined && value.length < minItems)
    found.push(bad(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) {
    found.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${value.length}: must have at most ${maxItems} items`,
      field: path,
    });
  }
  return found;
}

function mapViolations(value: Readonly<Record<string, unknown>>, schema: Schema, path: string): StatusCause[] {
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`);
  const missing = (schema.required ?? []).filter((field) => value[field] === undefined);
  return [
    ...missing.map((field) => ({ reason: 'FieldValueRequired', message: 'Required value', field: at(field) })),
    ...Object.entries(value).flatMap(([field, child]) => violations(child, schemaOfField(schema, field) ?? {}, at(field))),
  ];
}
