import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Bench, judge } from './bench.ts';
import { machine, versions } from './machine.ts';
import { printed } from './print.ts';

export interface CommandLineOptions {
  readonly benches: readonly Bench[];
  readonly signal: AbortSignal;
  /** To standard output. */
  print(text: string): void;
  /** To standard error. */
  log(line: string): void;
}

/** Does what the arguments ask for and returns the exit code: 1 when a goal was missed, 2 when the arguments were wrong. */
export async function runCommandLine(args: readonly string[], options: CommandLineOptions): Promise<number> {
  const { benches, signal, print, log } = options;
  const asked = parsed(args);
  if (typeof asked === 'string') {
    log(asked);
    return 2;
  }
  const { name, json } = asked;
  if (name === undefined) {
    print(listOf(benches));
    return 0;
  }
  const bench = benches.find((candidate) => candidate.name === name);
  if (bench === undefined) {
    log(`There is no bench called ${name}. There are: ${benches.map((each) => each.name).join(', ')}.`);
    return 2;
  }
  const facts = machine();
  const rows = (await bench.run({ signal, log: (line) => log(`  ${line}`) })).map(judge);
  print(printed(bench.name, facts, versions(), rows));
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify({ machine: facts, versions: versions(), rows }, undefined, 2)}\n`);
  }
  return rows.some((row) => row.pass === false) ? 1 : 0;
}

/** What is asked for, or a sentence about what is wrong with it. */
function parsed(args: readonly string[]): { readonly name: string | undefined; readonly json: string | undefined } | string {
  try {
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'string' } } });
    if (positionals.length > 1) return `Name one bench at a time, not ${positionals.join(', ')}.`;
    return { name: positionals[0], json: values.json };
  } catch (error) {
    return (error as Error).message;
  }
}

function listOf(benches: readonly Bench[]): string {
  const width = Math.max(...benches.map(({ name }) => name.length));
  return benches.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}\n`).join('');
}
