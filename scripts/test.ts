/**
 * `npm test [PART ...]`: runs the parts of parts.ts, two at a time, and ends with what failed and what each took.
 * `npm test -- check` runs the parts that need no cluster. The binaries of the embedded Kubernetes build meanwhile if they are not there yet.
 */
import { spawn } from 'node:child_process';
import { type GroupName, missingGroups } from '@terrain/embedded';
import { failuresIn } from './testing/failures.ts';
import { inLanes } from './testing/lanes.ts';
import { type Part, parts, testFiles } from './testing/parts.ts';
import { type Outcome, reportOf } from './testing/report.ts';
import { verdictOf } from './testing/verdict.ts';

/** The suites spend about half of their time waiting, so two of them fill two cores. */
const lanes = 2;
/**
 * What the parts' Kubernetes is started with. Collecting garbage a quarter as often takes two fifths of the CPU off an API server in a suite, for
 * memory that a machine which compiles Kubernetes has.
 */
const environment = { ...process.env, GOGC: process.env.GOGC ?? '400' };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => name !== 'check' && !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(', ')}. Parts: ${parts.map((part) => part.name).join(', ')}; "check" is those without a cluster.`,
  );
  process.exit(2);
}
const asked = parts.filter(
  (part) => wanted.length === 0 || wanted.includes(part.name) || (wanted.includes('check') && part.needs === undefined),
);
const started = performance.now();
const postponed = new Map<Part, string>();
for (const part of asked.filter(({ name }) => !wanted.includes(name))) {
  if (part.isOnlyWhenBuilt === undefined || process.env.CI === 'true') continue;
  const missing = await missingGroups(part.needs ?? []);
  if (missing.length > 0) postponed.set(part, `${missing.join(', ')} would have to be built first`);
}
const chosen = asked.filter((part) => !postponed.has(part));
// What takes long to build comes last: meanwhile the other parts run.
const inBuildOrder = [...chosen.filter((part) => !part.isOnlyWhenBuilt), ...chosen.filter((part) => part.isOnlyWhenBuilt)];
const builds = buildInOrder(new Set(inBuildOrder.flatMap((part) => part.needs ?? [])));
const outcomes = await inLanes(lanes, chosen, runPart, (part) => ({
  after: Promise.all((part.needs ?? []).map((group) => builds.get(group))),
  // A machine has one real node.
  ...(part.needs?.includes('node') ? { turn: 'node' } : {}),
}));
const { text, isPassed } = reportOf(outcomes, { minutes: (performance.now() - started) / 60_000, postponed });
console.log(text);
process.exitCode = isPassed ? 0 : 1;

/**
 * Starts at once and in the background, one group after the other in the order in which they are needed first: a cold build overlaps with the parts
 * that do not need it.
 */
function buildInOrder(groups: ReadonlySet<GroupName>): ReadonlyMap<GroupName, Promise<boolean>> {
  const started = new Map<GroupName, Promise<boolean>>();
  let last: Promise<unknown> = Promise.resolve();
  for (const group of groups) {
    const build = last.then(async () => {
      const { code, output } = await run(['node', 'packages/cli/src/terrain.ts', 'build', group]);
      if (code !== 0) process.stdout.write(output);
      return code === 0;
    });
    started.set(group, build);
    last = build;
  }
  return started;
}

/** Each part has a port for new homes: a home that is started again finds its port taken if another part got the same one meanwhile. */
function portOf(part: Part): string {
  return String(16_500 + parts.indexOf(part));
}

async function runPart(part: Part): Promise<Outcome> {
  const begin = performance.now();
  console.log(`${part.name} …`);
  const isReady = (await Promise.all((part.needs ?? []).map((group) => builds.get(group)))).every((isBuilt) => isBuilt);
  const files = testFiles(part);
  const hasTests = part.tests === undefined || files.length > 0;
  const { code, output } =
    isReady && hasTests ? await run([...part.command, ...files], { TERRAIN_PORT: portOf(part) }) : { code: 1, output: '' };
  const seconds = (performance.now() - begin) / 1000;
  // In one piece: two parts speak at the same time.
  process.stdout.write(`\n── ${part.name}: ${part.purpose}\n${output}`);
  if (!isReady)
    console.log(`   not run: the embedded Kubernetes (${part.needs?.join(', ')}) could not be built; its own words are above`);
  if (!hasTests) console.log(`   not run: no file matches ${part.tests?.join(', ')}`);
  return { part, seconds, ...verdictOf(code, output), failures: failuresIn(output) };
}

/** Runs a program and returns what it printed, on both streams in the order in which it came. */
function run(command: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...environment, ...more } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code: code ?? 1, output })));
}
