import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskReport } from '#progress.ts';
import { goEnvironment, runGo } from './go-command.ts';
import type { GoToolchain } from './go-toolchain.ts';
import { type BinaryGroup, moduleRoot } from './group.ts';

export interface BuildOptions {
  readonly go: GoToolchain;
  readonly report: TaskReport;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly retryDelayMs?: (attempt: number) => number;
}

/** Compiles a group's programs into `target`; temporary files stay below `scratch`. Leaves caching to the caller. */
export async function buildGroup(group: BinaryGroup, target: string, scratch: string, options: BuildOptions): Promise<void> {
  const { go, report, signal, retryDelayMs } = options;
  const directory = join(moduleRoot, group.module);
  await mkdir(scratch, { recursive: true });
  const common = {
    program: go.program,
    directory,
    env: { ...goEnvironment(options.env ?? process.env), GOTMPDIR: scratch },
    signal,
    onRetry: report.note,
    ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
  };

  const modules = moduleCount(await readFile(join(directory, 'go.sum'), 'utf8'));
  let downloaded = 0;
  const listing = await runGo(
    ['list', ...commonFlags(group), '-deps', '-f', '{{.ImportPath}} {{.StaleReason}}', ...importPaths(group)],
    {
      ...common,
      onLine: (line) => {
        if (line.startsWith('go: downloading ')) report.advance(Math.min(++downloaded, modules), modules, 'modules');
      },
    },
  );

  const total = stalePackages(listing);
  let compiled = 0;
  await runGo(['build', ...commonFlags(group), '-v', '-ldflags', linkerFlags(group), '-o', `${target}/`, ...importPaths(group)], {
    ...common,
    onLine: (line) => {
      if (isPackageLine(line)) report.advance(Math.min(++compiled, total), total, 'packages');
    },
  });
  for (const [importPath, program] of Object.entries(group.programs)) {
    const built = defaultProgramName(importPath);
    if (built !== program) await rename(join(target, built), join(target, program));
  }
}

/** Flags that decide what a package compiles to; the list and the build must agree on them or staleness is misjudged. */
export function commonFlags(group: BinaryGroup): string[] {
  return ['-mod=readonly', '-trimpath', '-buildvcs=false', `-tags=${group.tags.join(',')}`];
}

export function linkerFlags(group: BinaryGroup): string {
  return ['-s', '-w', ...group.variables.flatMap((variable) => ['-X', variable])].join(' ');
}

function importPaths(group: BinaryGroup): string[] {
  return Object.keys(group.programs);
}

/** Modules whose content go.sum vouches for; lines that end in /go.mod vouch for the module's go.mod alone. */
export function moduleCount(goSum: string): number {
  return goSum.split('\n').filter((line) => line !== '' && !line.split(' ')[1]?.endsWith('/go.mod')).length;
}

/** How many packages a build must still compile: all that Go lists with a reason other than "only not installed". */
export function stalePackages(listing: string): number {
  return listing.split('\n').filter((line) => {
    const reason = line.slice(line.indexOf(' ') + 1);
    return line.includes(' ') && reason !== '' && reason !== 'not installed but available in build cache';
  }).length;
}

/** `go build -v` prints one import path per compiled package among its other words. */
export function isPackageLine(line: string): boolean {
  return /^[a-z0-9][^\s:]*$/i.test(line);
}

/** The name Go gives a program: the last element of its path, with a major version suffix skipped. */
export function defaultProgramName(importPath: string): string {
  const elements = importPath.split('/');
  const last = elements.at(-1)!;
  return /^v\d+$/.test(last) && elements.length > 1 ? elements.at(-2)! : last;
}
