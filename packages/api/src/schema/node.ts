/** A kind's schema as the API server gets it, with types for the keywords we read. */
import type { Rule } from '#common/rule.ts';
import { toStructural } from '#crd/structural.ts';
import type { KindDefinition } from '#kind.ts';

/** The keywords of a structural schema the reference and the offline checks read. */
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

/** The schema of a kind's spec or status. */
export const schemaOf = (definition: KindDefinition, part: 'spec' | 'status'): Node =>
  toStructural(definition[part], part) as Node;

/** Strips lists and maps off a schema: what the entries are, and the path that leads to one of them. */
export function entryOf(node: Node, path: string): { node: Node; path: string } {
  if (node.items !== undefined) return entryOf(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) return entryOf(node.additionalProperties, `${path}{}`);
  return { node, path };
}
