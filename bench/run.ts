/** `npm run bench -- NAME [--json FILE]`; with no name, lists the benches. Exits with 1 when a goal was missed. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { coldStart } from './cold-start/bench.ts';
import { foundation } from './foundation/bench.ts';
import { images } from './images/bench.ts';
import { type Bench, judge } from './lib/bench.ts';
import { machine, versions } from './lib/machine.ts';
import { printed } from './lib/print.ts';
import { real } from './real/bench.ts';
import { runtime } from './runtime/bench.ts';
import { vms } from './vms/bench.ts';
import { workspaces } from './workspaces/bench.ts';

const benches: readonly Bench[] = [foundation, runtime, images, vms, workspaces, real, coldStart];

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
const [name] = positionals;
const bench = benches.find((candidate) => candidate.name === name);
if (name === undefined) {
  const width = Math.max(...benches.map((each) => each.name.length));
  for (const each of benches) console.log(`${each.name.padEnd(width)}  ${each.summary}`);
} else if (bench === undefined) {
  console.error(`There is no bench called ${name}. There are: ${benches.map((each) => each.name).join(', ')}.`);
  process.exitCode = 2;
} else {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
  const facts = machine();
  const context = { signal: interrupted.signal, log: (line: string) => console.error(`  ${line}`) };
  const rows = (await bench.run(context)).map(judge);
  process.stdout.write(printed(bench.name, facts, versions(), rows));
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine: facts, versions: versions(), rows }, undefined, 2)}\n`);
  }
  process.exitCode = rows.some((row) => row.pass === false) ? 1 : 0;
}
