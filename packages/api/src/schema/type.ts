/**
 * The builders of TypeBox that the schemas of kinds are made of, with its types and without its code: that is more than twenty
 * mebibytes in the memory of every program that only wants to know how a kind is called.
 *
 * Guarantees: the same keywords as TypeBox writes, which a test compares.
 */
import type { Type as TypeBox } from 'typebox';

type Builders = Pick<typeof TypeBox, 'Array' | 'Boolean' | 'Integer' | 'Object' | 'Optional' | 'Record' | 'String' | 'Unsafe'>;
type Keywords = Readonly<Record<string, unknown>>;

const optional = '~optional';

const scalar =
  (type: string) =>
  (options: Keywords = {}) => ({ type, ...options });

function object(properties: Readonly<Record<string, object>>, options: Keywords = {}) {
  const required = Object.keys(properties).filter((name) => !(optional in (properties[name] ?? {})));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
}

const builders = {
  Array: (items: object, options: Keywords = {}) => ({ type: 'array', items, ...options }),
  Boolean: scalar('boolean'),
  Integer: scalar('integer'),
  Object: object,
  // Not a keyword: a mark for the object it becomes part of, hidden from whoever reads keywords.
  Optional: (schema: Keywords) => Object.defineProperty({ ...schema }, optional, { value: true, enumerable: false }),
  Record: (_keys: object, values: object, options: Keywords = {}) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: scalar('string'),
  Unsafe: (schema: Keywords) => ({ ...schema }),
};

export const Type = builders as unknown as Builders;
