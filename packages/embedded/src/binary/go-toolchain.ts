import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';
import { type GoCommandOptions, goEnvironment, runGo } from './go-command.ts';

export interface GoToolchain {
  readonly program: string;
  /** As in `1.26.8`. */
  readonly version: string;
  readonly buildCache: string;
  readonly moduleCache: string;
}

/** Finds Go on the PATH and asks it about itself. */
export async function findGo(env: NodeJS.ProcessEnv = process.env, signal?: AbortSignal): Promise<GoToolchain | undefined> {
  const program = findOnPath('go', env.PATH ?? '');
  if (program === undefined) return undefined;
  // Outside any module: inside one whose go.mod is newer, an old Go answers nothing but a complaint.
  const options: GoCommandOptions = { program, directory: tmpdir(), env: goEnvironment(env), signal };
  const answer = JSON.parse(await runGo(['env', '-json', 'GOVERSION', 'GOCACHE', 'GOMODCACHE'], options)) as Record<
    string,
    string
  >;
  return {
    program,
    version: (answer.GOVERSION ?? '').replace(/^go/, ''),
    buildCache: answer.GOCACHE ?? '',
    moduleCache: answer.GOMODCACHE ?? '',
  };
}

/** Go as the sources need it, or an error that says what to install. */
export async function requireGo(
  minimum: string,
  env: NodeJS.ProcessEnv = process.env,
  signal?: AbortSignal,
): Promise<GoToolchain> {
  const go = await findGo(env, signal);
  if (go === undefined) throw new EmbeddedError('GoMissing', goMissingSentence(minimum));
  if (compareVersions(go.version, minimum) < 0) throw new EmbeddedError('GoTooOld', goTooOldSentence(go, minimum));
  return go;
}

export function goMissingSentence(minimum: string): string {
  return `Go is needed once to build Kubernetes from source, and there is no \`go\` on the PATH: install Go ${minimum} or newer from https://go.dev/dl, or pass --binaries DIR with what \`terrain build --output DIR\` made on another machine.`;
}

export function goTooOldSentence(go: Pick<GoToolchain, 'program' | 'version'>, minimum: string): string {
  return `Go ${go.version} (${go.program}) is too old to build Kubernetes: install Go ${minimum} or newer from https://go.dev/dl and put it first on the PATH, or pass --binaries DIR with what \`terrain build --output DIR\` made on another machine.`;
}

/** The version after `go` in a go.mod file. */
export function goDirective(goMod: string): string {
  const version = /^go (\S+)$/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('go.mod has no go directive');
  return version;
}

/** Compares dotted numbers; what follows them (`1.27rc1`, `1.26.8 X:nodwarf5`) sorts before the release it leads to. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(right.isPrerelease) - Number(left.isPrerelease);
}

function parts(version: string): { numbers: number[]; isPrerelease: boolean } {
  const match = /^(\d+(?:\.\d+)*)((?:rc|beta)\d+)?/.exec(version);
  return { numbers: (match?.[1] ?? '0').split('.').map(Number), isPrerelease: match?.[2] !== undefined };
}

export function findOnPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, program))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
