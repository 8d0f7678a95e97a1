import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** Resolve as soon as this is printed, instead of at the end; the end is awaited all the same. */
  readonly until?: string;
}

/** Runs a command to its end and says how many seconds it took, to the end or to the words awaited. A failure is an error with its output. */
export async function timed(program: string, args: readonly string[], options: CommandOptions = {}): Promise<number> {
  const started = performance.now();
  let seconds: number | undefined;
  let output = '';
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const read = (text: string): void => {
    output += text;
    if (seconds === undefined && options.until !== undefined && output.includes(options.until)) seconds = since(started);
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`);
  if (options.until !== undefined && seconds === undefined)
    throw new Error(`${program} never printed "${options.until}":\n${output.slice(-4000)}`);
  return seconds ?? since(started);
}

const since = (started: number): number => (performance.now() - started) / 1000;

/** The middle of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
