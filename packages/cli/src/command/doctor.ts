import type { Check } from '@terrain/embedded';
import { Command } from 'commander';
import { ExitCode } from '../output/exit.ts';
import { homeOption } from './home.ts';

const mark = { ok: '✓', warn: '!', fail: '✗' } as const;

/** Looks at this machine and says what is missing, one line each, with what to do about it. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check this machine, one line each, with the fix')
    .addOption(homeOption())
    .action(async ({ home }: { home: string }) => {
      const { doctor } = await import('@terrain/embedded');
      const checks = await doctor({ home });
      process.stdout.write(describeChecks(checks));
      process.exitCode = checks.some(({ state }) => state === 'fail') ? ExitCode.failed : ExitCode.ok;
    });
}

export function describeChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(
      ({ name, state, found, fix }) => `${mark[state]} ${name.padEnd(width)}  ${found}${fix === undefined ? '' : `. ${fix}`}\n`,
    )
    .join('');
}
