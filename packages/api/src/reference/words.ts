/** Says in words what a schema says in keywords. */
import { durationPattern } from '#common/duration.ts';
import { either } from '#schema/either.ts';
import type { Node } from '#schema/node.ts';
import { patternInWords } from '#schema/pattern.ts';
import { code } from './markdown.ts';

const scalarNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
};

const ruleNames: readonly (readonly [RegExp, string])[] = [
  [/^isCIDR\(self\)$/, 'address/prefix'],
  [/^isIP\(self\)$/, 'IP address'],
];

function nameByRule(node: Node): string | undefined {
  const rules = node['x-kubernetes-validations'] ?? [];
  return ruleNames.find(([pattern]) => rules.some(({ rule }) => pattern.test(rule)))?.[1];
}

/** The type of a field, as a person would say it. `objectLink` turns the object a field holds into a link to its description. */
export function typeInWords(node: Node, objectLink: (name: string) => string): string {
  if (node.items !== undefined) return `list of ${typeInWords(node.items, objectLink)}`;
  if (node.additionalProperties !== undefined) return `map of ${typeInWords(node.additionalProperties, objectLink)}`;
  if (node.enum !== undefined) return either(node.enum.map(code));
  if (node['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (node.format === 'date-time') return 'time';
  if (node.pattern === durationPattern) return 'duration';
  const named = nameByRule(node);
  if (named !== undefined) return named;
  if (node.properties !== undefined) return objectLink('object');
  return scalarNames[node.type ?? ''] ?? 'anything';
}

const range = (least: number | undefined, most: number | undefined, unit: string): string[] => {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (most !== undefined) return [`at most ${most}${unit}`];
  return least !== undefined && least > 0 ? [`at least ${least}${unit}`] : [];
};

function limits(node: Node): string[] {
  const isPlainText = node.type === 'string' && node.enum === undefined && node.format === undefined;
  const isSpoken = nameByRule(node) !== undefined || node.pattern === durationPattern;
  const pattern = node.pattern === undefined ? '' : patternInWords(node.pattern).characters;
  const keys = node['x-kubernetes-list-map-keys'];
  const each = node.items === undefined ? [] : limits(node.items);
  return [
    ...(isPlainText && !isSpoken ? range(node.minLength || undefined, node.maxLength, ' characters') : []),
    ...range(node.minimum || undefined, node.maximum, ''),
    ...range(node.minItems || undefined, node.maxItems, ' entries'),
    ...range(undefined, node.maxProperties, ' entries'),
    ...(keys === undefined ? [] : [`each ${keys.map(code).join(' + ')} once`]),
    ...(node['x-kubernetes-list-type'] === 'set' ? ['each once'] : []),
    ...each.slice(0, 1).map((first) => `each ${first}`),
    ...each.slice(1),
    ...(pattern === '' ? [] : [pattern]),
  ];
}

/** What bounds a field, except for what its type already says. */
export const limitsInWords = (node: Node): string => limits(node).join('; ');
