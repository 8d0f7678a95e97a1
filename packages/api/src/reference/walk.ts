/** Reads a kind's schema as a list of objects with their fields, each known by its path. */
import { entryOf, type Node } from '#schema/node.ts';

/** One field of an object. */
export type Field = { readonly name: string; readonly path: string; readonly node: Node; readonly isRequired: boolean };

/** An object in a schema: the spec itself, a nested object, or the item of a list. */
export type ObjectSection = { readonly path: string; readonly node: Node; readonly fields: readonly Field[] };

/** A rule, and the field it is about. */
export type RuleAt = { readonly path: string; readonly message: string };

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
