/** Checks of a single value: its type, its bounds, and the CEL rules that can be judged without an API server. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import { parseDurationMs } from '#common/duration.ts';
import { address, addressWithPrefix, positiveDuration, positiveQuantity } from '#common/field.ts';
import { quantityInNanos } from '#quantity/quantity.ts';
import { either } from '#schema/either.ts';
import type { Node } from '#schema/node.ts';
import { patternInWords } from '#schema/pattern.ts';
import { nearest, type Problem, problemAt } from './problem.ts';

/** The CEL rule of a field built with one of the functions in common/field.ts: taken from there, so that the two cannot drift apart. */
const celOf = (field: object): string => {
  const rule = (field as Node)['x-kubernetes-validations']?.[0]?.rule;
  if (rule === undefined) throw new TypeError('a field without a rule has no counterpart here');
  return rule;
};

/** What a rule means, for the rules many fields share. All other rules are judged by the API server only. */
export const offlineRules: ReadonlyMap<string, (value: string | number) => boolean> = new Map([
  [celOf(positiveQuantity('', '')), (value) => (quantityInNanos(value) ?? 0n) > 0n],
  [celOf(positiveDuration('', '')), (value) => parseDurationMs(String(value)) !== 0],
  [celOf(addressWithPrefix('', '')), (value) => parsePrefix(String(value)) !== undefined],
  [celOf(address('', '')), (value) => parseAddress(String(value)) !== undefined],
]);

const typeNames: Readonly<Record<string, string>> = { string: 'text', integer: 'a whole number', boolean: 'true or false' };

function typeProblem(node: Node, value: unknown): string | undefined {
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (node['x-kubernetes-int-or-string'] === true) {
    if (isWhole || typeof value === 'string') return undefined;
    return typeof value === 'number'
      ? 'a number with a fraction; put it in quotes'
      : 'which is not a quantity such as 500m, 2 or 24Gi';
  }
  if (node.type === 'string' && typeof value !== 'string') {
    const isYamlGuess = typeof value === 'number' || typeof value === 'boolean';
    return isYamlGuess ? `which YAML reads as a ${typeof value} although text is expected; put it in quotes` : 'but must be text';
  }
  if (node.type === 'integer' && !isWhole) return `but must be ${typeNames.integer}`;
  if (node.type === 'boolean' && typeof value !== 'boolean') return `but must be ${typeNames.boolean}`;
  return undefined;
}

function boundProblem(node: Node, value: unknown): string | undefined {
  if (typeof value === 'string') {
    // Characters, not UTF-16 units: the API server counts runes.
    const length = [...value].length;
    if (node.maxLength !== undefined && length > node.maxLength)
      return `which has ${length} characters; at most ${node.maxLength} are allowed`;
    if (length < (node.minLength ?? 0))
      return node.minLength === 1 ? 'but may not be empty' : `but needs at least ${node.minLength} characters`;
    if (node.enum !== undefined && !node.enum.includes(value)) {
      const meant = nearest(value, node.enum);
      return `but must be ${either(node.enum)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    }
    if (node.pattern !== undefined && !new RegExp(node.pattern, 'u').test(value)) return patternInWords(node.pattern).rule;
  }
  if (typeof value === 'number') {
    if (node.minimum !== undefined && value < node.minimum) return `but must be at least ${node.minimum}`;
    if (node.maximum !== undefined && value > node.maximum) return `but must be at most ${node.maximum}`;
  }
  return undefined;
}

/** The first problem of a scalar: a value of the wrong type is not measured, and one out of bounds is not judged by rules. */
export function scalarProblems(node: Node, path: string, value: unknown): Problem[] {
  const problem = typeProblem(node, value) ?? boundProblem(node, value);
  if (problem !== undefined) return [problemAt(path, value, problem)];
  return (node['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => offlineRules.get(rule)?.(value as string | number) === false)
    .map(({ message }) => problemAt(path, value, `but ${message}`));
}
