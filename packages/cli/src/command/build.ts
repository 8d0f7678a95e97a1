import { resolve } from 'node:path';
import type { GroupName } from '@terrain/embedded';
import { Command } from 'commander';
import { CommandError, ExitCode } from '../output/exit.ts';
import { interruptible } from '../output/interrupt.ts';
import { ProgressView } from '../output/progress.ts';

/** Builds what `up` and the tests would build on their first run, here or for a machine that has no Go. */
export function buildCommand(): Command {
  return new Command('build')
    .description('build the embedded Kubernetes now, so that the next start is fast')
    .argument('[groups...]', 'groups of programs (default: core sim)')
    .option('--output <dir>', 'also put all of it into this directory, for `up --binaries DIR` on machines without Go')
    .action(async (names: string[], { output }: { output?: string }) => {
      const { ensureSupplies, groupNames, makeDirectory, usualGroupNames, writeReadyMade } = await import('@terrain/embedded');
      const isGroup = (name: string): name is GroupName => (groupNames as readonly string[]).includes(name);
      const unknown = names.filter((name) => !isGroup(name));
      if (unknown.length > 0)
        throw new CommandError(`there is no group ${unknown.join(', ')}; there are ${groupNames.join(', ')}`, ExitCode.usage);
      const groups = names.length === 0 ? usualGroupNames : names.filter(isGroup);
      const view = new ProgressView();
      try {
        // Before the build, so that nobody waits for minutes to be told that there can be no such directory.
        if (output !== undefined) await makeDirectory(output, { advice: 'choose another with --output' });
        const supplies = await interruptible((signal) => ensureSupplies(groups, { progress: view.show, signal }));
        if (output === undefined) return;
        await writeReadyMade(output, supplies);
        view.say(`✓ ${resolve(output)} has ${groups.join(', ')}; use it with \`terrain up --binaries ${output}\`.`);
      } finally {
        view.close();
      }
    });
}
