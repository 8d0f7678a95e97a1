import type { GroupName } from '@terrain/embedded';
import { Command } from 'commander';
import { CommandError, ExitCode } from '../output/exit.ts';
import { interruptible } from '../output/interrupt.ts';
import { ProgressView } from '../output/progress.ts';

/** Builds what `up` and the tests would build on their first run. */
export function buildCommand(): Command {
  return new Command('build')
    .description('build the embedded Kubernetes now, so that the next start is fast')
    .argument('[groups...]', 'groups of programs (default: core sim)')
    .action(async (names: string[]) => {
      const { ensureBinaries, groupNames, usualGroupNames } = await import('@terrain/embedded');
      const isGroup = (name: string): name is GroupName => (groupNames as readonly string[]).includes(name);
      const unknown = names.filter((name) => !isGroup(name));
      if (unknown.length > 0)
        throw new CommandError(`there is no group ${unknown.join(', ')}; there are ${groupNames.join(', ')}`, ExitCode.usage);
      const groups = names.length === 0 ? usualGroupNames : names.filter(isGroup);
      const view = new ProgressView();
      try {
        await interruptible((signal) => ensureBinaries(groups, { progress: view.show, signal }));
      } finally {
        view.close();
      }
    });
}
