/** Reads a kind's schema as a list of objects with their fields, each known by its path. */
import type { Rule } from '#common/rule.ts';
import { toStructural } from '#crd/structural.ts';
import type { KindDefinition } from '#kind.ts';

/** The keywords of a structural schema the pages read. */
export type Node = {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
};

/** One field of an object. */
export type Field = { readonly name: string; readonly path: string; readonly node: Node; readonly isRequired: boolean };

/** An object in a schema: the spec itself, a nested object, or the item of a list. */
export type ObjectSection = { readonly path: string; readonly node: Node; readonly fields: readonly Field[] };

/** A rule, and the field it is about. */
export type RuleAt = { readonly path: string; readonly message: string };

/** The schema of a kind's spec or status. */
export const schemaOf = (definition: KindDefinition, part: 'spec' | 'status'): Node =>
  toStructural(definition[part], part) as Node;

/** Strips lists and maps off a schema: what the entries are, and the path that leads to one of them. */
export function entryOf(node: Node, path: string): { node: Node; path: string } {
  if (node.items !== undefined) return entryOf(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) return entryOf(node.additionalProperties, `${path}{}`);
  return { node, path };
}

/** Every object below a schema, outermost first. `isElsewhere` tells which ones are described on another page. */
export function objectSections(root: Node, path: string, isElsewhere: (node: Node, path: string) => boolean): ObjectSection[] {
  const { node, path: at } = entryOf(root, path);
  if (node.properties === undefined || isElsewhere(node, at)) return [];
  const fields = Object.entries(node.properties).map(([name, child]) => ({
    name,
    path: `${at}.${name}`,
    node: child,
    isRequired: node.required?.includes(name) ?? false,
  }));
  return [{ path: at, node, fields }, ...fields.flatMap((field) => objectSections(field.node, field.path, isElsewhere))];
}

/** Every rule at or below a schema, in the order of the fields. */
export function rulesBelow(node: Node, path: string, isElsewhere: (node: Node, path: string) => boolean): RuleAt[] {
  if (isElsewhere(node, path)) return [];
  const own = (node['x-kubernetes-validations'] ?? []).map(({ message, fieldPath = '' }) => ({
    path: `${path}${fieldPath}`,
    message,
  }));
  return [
    ...own,
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => rulesBelow(child, `${path}.${name}`, isElsewhere)),
    ...(node.items === undefined ? [] : rulesBelow(node.items, `${path}[]`, isElsewhere)),
    ...(node.additionalProperties === undefined ? [] : rulesBelow(node.additionalProperties, `${path}{}`, isElsewhere)),
  ];
}
