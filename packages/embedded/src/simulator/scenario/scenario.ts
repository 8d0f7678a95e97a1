import { bytesOf } from '../quantity.ts';
import { parseDuration } from './duration.ts';
import { parseSwitches, type Switches } from './switches.ts';

/** How long things take when all goes well, in platform milliseconds. */
export interface Durations {
  /** Until an importer pod is made and scheduled; each of an import's pods takes it. */
  readonly schedule: number;
  /** What the first importer pod does before it asks for scratch space. */
  readonly validate: number;
  readonly import: number;
  readonly blank: number;
  /** From a DataVolume's success to its claim being Bound. */
  readonly bind: number;
  /** How long a running importer pod takes to end when it is deleted. */
  readonly podStop: number;
  readonly clone: number;
  /** Growing a clone beyond its snapshot. */
  readonly expand: number;
  /** Binding a plain claim. */
  readonly provision: number;
  readonly snapshot: number;
  /** From a machine's volumes being ready to its guest running. */
  readonly boot: number;
  readonly agent: number;
  readonly stop: number;
  /** From a machine's end to its object being gone. */
  readonly remove: number;
}

export const defaultDurations: Durations = {
  schedule: 400,
  validate: 400,
  import: 3000,
  blank: 500,
  bind: 300,
  podStop: 1200,
  clone: 1000,
  expand: 3000,
  provision: 300,
  snapshot: 400,
  boot: 2000,
  agent: 2000,
  stop: 1000,
  remove: 500,
};

/** All of them nothing: what a test of throughput wants. Failures keep their own pace. */
export const noDurations: Durations = Object.fromEntries(
  Object.keys(defaultDurations).map((name) => [name, 0]),
) as unknown as Durations;

/** Switches for the objects that match. A `*` in a pattern stands for anything. */
export interface Rule {
  readonly namespace?: string;
  readonly name?: string;
  readonly url?: string;
  readonly switches: Switches;
}

/** The projects that can be played, each alone. */
const partNames = ['cdi', 'storage', 'snapshots', 'kubevirt'] as const;
export type PartName = (typeof partNames)[number];

export interface Scenario {
  readonly durations: Durations;
  /** How many times faster than the platform everything goes. */
  readonly speed: number;
  /** Bytes of one complete download, unless a switch says otherwise. */
  readonly downloadBytes: number;
  readonly rules: readonly Rule[];
  readonly parts: ReadonlySet<PartName>;
  /** Storage classes of these provisioners, and snapshot classes of these drivers, are the simulator's to serve. */
  readonly provisioners: readonly string[];
  /** Name of the node machines are said to run on. */
  readonly node: string;
}

export const defaultScenario: Scenario = {
  durations: defaultDurations,
  speed: 1,
  downloadBytes: 2 ** 30,
  rules: [],
  parts: new Set(partNames),
  provisioners: ['simulated.terrain.dev', 'ebs.csi.aws.com'],
  node: 'simulated',
};

/** Everything instant. */
export const instantScenario: Scenario = { ...defaultScenario, durations: noDurations };

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/**
 * Reads the content of a scenario file:
 *
 *     speed: 10                    # or instant
 *     durations: {import: 5s}
 *     downloadSize: 2Gi
 *     parts: [kubevirt]
 *     rules:
 *     - match: {namespace: vmdi-*, url: "*attacker*"}
 *       sim: import:30s;fail:2
 *
 * Throws a ScenarioError that names every problem.
 */
export function parseScenario(content: unknown): Scenario {
  const problems: string[] = [];
  const file = asRecord(content, 'the scenario', problems);
  for (const key of Object.keys(file))
    if (!['speed', 'durations', 'downloadSize', 'rules', 'parts', 'provisioners', 'node'].includes(key))
      problems.push(`There is no setting "${key}".`);
  const isInstant = file.speed === 'instant';
  const speed = file.speed === undefined || isInstant ? 1 : Number(file.speed);
  if (!(speed > 0 && speed <= 10_000))
    problems.push(`speed must be a number above 0 and at most 10000, or instant; it is ${String(file.speed)}.`);
  const downloadBytes = file.downloadSize === undefined ? defaultScenario.downloadBytes : bytesOf(file.downloadSize as string);
  if (downloadBytes === undefined) problems.push(`downloadSize must be a size such as 2Gi; it is ${String(file.downloadSize)}.`);
  const scenario: Scenario = {
    durations: readDurations(file.durations, isInstant ? noDurations : defaultDurations, problems),
    speed,
    downloadBytes: downloadBytes ?? 0,
    rules: asList(file.rules, 'rules', problems).map((rule, index) => readRule(rule, index, problems)),
    parts: new Set(
      file.parts === undefined ? partNames : asList(file.parts, 'parts', problems).map((part) => readPart(part, problems)),
    ),
    provisioners:
      file.provisioners === undefined
        ? defaultScenario.provisioners
        : asList(file.provisioners, 'provisioners', problems).map(String),
    node: file.node === undefined ? defaultScenario.node : String(file.node),
  };
  if (problems.length > 0) throw new ScenarioError(problems.join('\n'));
  return scenario;
}

function readDurations(value: unknown, defaults: Durations, problems: string[]): Durations {
  const durations: Record<string, number> = { ...defaults };
  for (const [name, text] of Object.entries(asRecord(value, 'durations', problems))) {
    const ms = parseDuration(String(text));
    if (!Object.hasOwn(defaultDurations, name))
      problems.push(`durations has no "${name}"; it has ${Object.keys(defaultDurations).join(', ')}.`);
    else if (ms === undefined) problems.push(`durations.${name} must be a duration such as 1m30s; it is ${String(text)}.`);
    else durations[name] = ms;
  }
  return durations as unknown as Durations;
}

function readRule(value: unknown, index: number, problems: string[]): Rule {
  const rule = asRecord(value, `rules[${index}]`, problems);
  const match = asRecord(rule.match, `rules[${index}].match`, problems);
  for (const key of Object.keys(match))
    if (!['namespace', 'name', 'url'].includes(key))
      problems.push(`rules[${index}].match has no "${key}"; it has namespace, name, url.`);
  const { switches, problems: wrong } = parseSwitches(String(rule.sim ?? ''));
  problems.push(...wrong.map((problem) => `rules[${index}].sim: ${problem}`));
  return {
    ...(match.namespace === undefined ? {} : { namespace: String(match.namespace) }),
    ...(match.name === undefined ? {} : { name: String(match.name) }),
    ...(match.url === undefined ? {} : { url: String(match.url) }),
    switches,
  };
}

function readPart(value: unknown, problems: string[]): PartName {
  if (!partNames.includes(value as PartName))
    problems.push(`There is no part "${String(value)}"; there are ${partNames.join(', ')}.`);
  return value as PartName;
}

function asRecord(value: unknown, what: string, problems: string[]): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.push(`${what} must be a map of names to values.`);
  return {};
}

function asList(value: unknown, what: string, problems: string[]): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  problems.push(`${what} must be a list.`);
  return [];
}
