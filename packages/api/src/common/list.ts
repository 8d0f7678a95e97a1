import type { TSchema } from 'typebox';
import { Type } from '#schema/type.ts';
import { type Rule, rules } from './rule.ts';

type ListOptions = {
  readonly maxItems: number;
  readonly minItems?: number;
  readonly default?: unknown;
  readonly rules?: readonly Rule[];
};

function options({ rules: list, ...rest }: ListOptions): Record<string, unknown> & { maxItems: number } {
  return { ...rest, ...(list === undefined ? {} : rules(...list)) };
}

/**
 * A list whose items are told apart by `keys`: the API server refuses duplicates, and server-side apply merges item by item, so
 * that two writers may each own some of them.
 */
export function mapList<Item extends TSchema>(item: Item, keys: readonly string[], description: string, extra: ListOptions) {
  return Type.Array(item, {
    ...options(extra),
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
  });
}

/** A list of different scalars; the API server refuses duplicates. */
export function setList<Item extends TSchema>(item: Item, description: string, extra: ListOptions) {
  return Type.Array(item, { ...options(extra), description, 'x-kubernetes-list-type': 'set' });
}

/** A list that has one owner and is replaced as a whole; its order may carry meaning. */
export function atomicList<Item extends TSchema>(item: Item, description: string, extra: ListOptions) {
  return Type.Array(item, { ...options(extra), description, 'x-kubernetes-list-type': 'atomic' });
}
