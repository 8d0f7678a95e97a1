/** Names: each once in its list, and those referred to are there. */
import { nearest } from '#validate/problem.ts';
import { type Entry, entriesAt, type Lab, textOf } from './lab.ts';
import { broken, type TopologyProblem } from './problem.ts';

function repeated(entries: readonly Entry[], field: string, advice: string): TopologyProblem[] {
  const first = new Map<string, string>();
  return entries.flatMap(({ path, fields }) => {
    const name = textOf(fields[field]);
    if (name === undefined) return [];
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, path);
    return earlier === undefined ? [] : [broken(`${path}.${field}`, name, `${earlier} has that ${field} already; ${advice}`)];
  });
}

const named = (lab: Lab): readonly (readonly [readonly Entry[], string])[] => [
  [lab.networks.map(({ path, name }) => ({ path, fields: { name } })), 'network'],
  [lab.volumes, 'volume'],
  [lab.vms, 'machine'],
  [lab.clusters, 'container cluster'],
];

/** Networks, volumes, machines, container clusters, containers and variables have names of their own. */
export const repeatedNames = (lab: Lab): TopologyProblem[] => [
  ...named(lab).flatMap(([entries, what]) => repeated(entries, 'name', `give every ${what} a name of its own`)),
  ...lab.clusters.flatMap((cluster) => {
    const containers = entriesAt(cluster, 'containers');
    return [
      ...repeated(containers, 'name', 'give every container of a cluster a name of its own'),
      ...containers.flatMap((container) => repeated(entriesAt(container, 'env'), 'name', 'set every variable once')),
    ];
  }),
];

/** What is wrong with a name that is not among those there are. */
export function missing(name: string, what: string, list: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant === undefined ? `add it to ${list}, or name one that is there` : `did you mean ${meant}?`;
  return `there is no ${what} of that name; ${advice}`;
}
