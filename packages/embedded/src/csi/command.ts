import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a program of the system and returns what it printed; a failure names the program and its own words. */
export function runCommand(
  program: string,
  args: readonly string[],
  { isFine = () => false }: { readonly isFine?: (code: number) => boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: commandEnvironment() }, (error, stdout, stderr) => {
      if (error === null || (typeof error.code === 'number' && isFine(error.code))) resolve(stdout);
      else reject(commandError(program, stderr || stdout || error.message, error));
    });
  });
}

/** Runs a shell script that must reach its end even if this process is killed; `args` are its `$1`, `$2` and so on. */
export async function runToTheEnd(script: string, args: readonly string[]): Promise<void> {
  const child = spawn('/bin/sh', ['-c', script, 'terrain-csi', ...args], {
    env: commandEnvironment(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [words, code] = await Promise.all([text(child.stderr), exit]);
  if (code !== 0) throw commandError('sh', words, undefined);
}

/** Programs for disks live in directories that the PATH of a user often lacks, and their words are matched, so: no translation. */
function commandEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`, LC_ALL: 'C' };
}

function commandError(program: string, words: string, cause: Error | undefined): Error {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    return new Error(`the program ${program} is not installed`, { cause });
  return new Error(`${program} said: ${words.trim().split('\n').slice(-3).join(' ')}`, cause === undefined ? {} : { cause });
}
