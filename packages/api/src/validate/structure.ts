/** Walks a value along its schema and collects every problem. */
import type { Node } from '#schema/node.ts';
import { nearest, type Problem, problemAt, shown } from './problem.ts';
import { scalarProblems } from './scalar.ts';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The API server drops nulls before it checks anything. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function objectProblems(node: Node, path: string, value: unknown): Problem[] {
  if (!isObject(value)) return [problemAt(path, value, 'but must be an object with fields')];
  const properties = node.properties ?? {};
  const known = Object.keys(properties);
  const missing = (node.required ?? []).filter((name) => isAbsent(value[name]) && properties[name]?.default === undefined);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  return [
    ...missing.map((name) => ({ path: `${path}.${name}`, message: `${path}.${name} is missing${meaning(properties[name])}` })),
    ...unknown.map((name) => unknownField(path, name, known)),
    ...known
      .filter((name) => !isAbsent(value[name]))
      .flatMap((name) => problemsOf(properties[name]!, `${path}.${name}`, value[name])),
  ];
}

const meaning = (node: Node | undefined): string => (node?.description === undefined ? '' : `: ${node.description}`);

function unknownField(path: string, name: string, known: readonly string[]): Problem {
  const meant = nearest(name, known);
  const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
  return { path: `${path}.${name}`, message: `${path}.${name} is not a field of ${path}; ${advice}` };
}

function listProblems(node: Node, path: string, value: unknown): Problem[] {
  if (!Array.isArray(value)) return [problemAt(path, value, 'but must be a list')];
  const { maxItems, minItems = 0, items } = node;
  const count = value.length;
  return [
    ...(maxItems !== undefined && count > maxItems
      ? [{ path, message: `${path} has ${count} entries; at most ${maxItems} are allowed` }]
      : []),
    ...(count < minItems ? [{ path, message: `${path} has ${count} entries; at least ${minItems} are needed` }] : []),
    ...duplicates(node, path, value),
    ...(items === undefined ? [] : value.flatMap((entry, index) => problemsOf(items, `${path}[${index}]`, entry))),
  ];
}

function duplicates(node: Node, path: string, list: readonly unknown[]): Problem[] {
  const keys = node['x-kubernetes-list-map-keys'];
  const isSet = node['x-kubernetes-list-type'] === 'set';
  if (keys === undefined && !isSet) return [];
  const first = new Map<string, number>();
  return list.flatMap((entry, index) => {
    const identity = keys === undefined ? entry : keys.map((key) => (isObject(entry) ? entry[key] : undefined));
    const text = JSON.stringify(identity);
    const earlier = first.get(text);
    if (earlier === undefined) first.set(text, index);
    const what =
      keys === undefined
        ? shown(path, entry)
        : keys.map((key, i) => `${key} ${shown(path, (identity as unknown[])[i])}`).join(' and ');
    return earlier === undefined
      ? []
      : [
          {
            path: `${path}[${index}]`,
            message: `${path}[${index}] has ${what}, as ${path}[${earlier}] has already; each may occur once`,
          },
        ];
  });
}

function mapProblems(node: Node, path: string, value: unknown): Problem[] {
  if (!isObject(value)) return [problemAt(path, value, 'but must be an object with fields')];
  return Object.entries(value).flatMap(([name, entry]) => problemsOf(node.additionalProperties!, `${path}.${name}`, entry));
}

/** Every problem of a value, and of all below it. */
export function problemsOf(node: Node, path: string, value: unknown): Problem[] {
  if (node.type === 'array') return listProblems(node, path, value);
  if (node.additionalProperties !== undefined) return mapProblems(node, path, value);
  if (node.type === 'object') {
    const isFree = node.properties === undefined;
    return isFree && isObject(value) ? [] : objectProblems(node, path, value);
  }
  return scalarProblems(node, path, value);
}
