import { ensureBinaries, type GroupName, groupNames } from '@terrain/embedded';
import { Argument, Command } from 'commander';
import { interruptible } from '../output/interrupt.ts';
import { ProgressView } from '../output/progress.ts';

/** Builds what `up` and the tests would build on their first run. */
export function buildCommand(): Command {
  return new Command('build')
    .description('build the embedded Kubernetes now, so that the next start is fast')
    .addArgument(new Argument('[groups...]', 'groups of programs').choices(groupNames).default(['core', 'sim'], 'core sim'))
    .action(async (groups: GroupName[]) => {
      const view = new ProgressView();
      try {
        await interruptible((signal) => ensureBinaries(groups, { progress: view.show, signal }));
      } finally {
        view.close();
      }
    });
}
