import type { CustomResource } from '#common/metadata.ts';
import type { KindDefinition } from '#kind.ts';
import { type StructuralSchema, toStructural } from './structural.ts';

type Values = Record<string, unknown>;

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

function fill(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((item) => fill(schema.items as StructuralSchema, item));
  if (!isObject(value)) return value;
  const properties = (schema.properties ?? {}) as Record<string, StructuralSchema>;
  const result: Values = { ...value };
  for (const [name, child] of Object.entries(properties)) {
    const given = result[name] ?? child.default;
    if (given !== undefined) result[name] = fill(child, given);
  }
  return result;
}

/**
 * The object with the defaults of its kind filled in, as the API server would store it.
 *
 * For objects that have not been through an API server: those a file holds, and those a test makes.
 */
export function withDefaults<Resource extends CustomResource<string, string, unknown, unknown>>(
  definition: KindDefinition,
  object: Resource,
): Resource {
  return { ...object, spec: fill(toStructural(definition.spec, 'spec'), object.spec) };
}
