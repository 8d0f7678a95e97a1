import { Command, Option } from 'commander';
import { durationArgument } from '../../output/duration-argument.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly timeout: number;
}

export function waitCommand(): Command {
  return withClusterOptions(new Command('wait'))
    .description('wait until workspaces are ready; exit code 1: one needs a person, 3: not in time')
    .argument('<name...>', 'names of the workspaces')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for all of them')
        .default(1_800_000, '30m')
        .argParser(durationArgument),
    )
    .action(run);
}

async function run(names: readonly string[], flags: Flags): Promise<void> {
  const [{ withCluster }, { waitForWorkspaces }, { interruptible }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/wait.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await interruptible((signal) =>
    withCluster(flags, (connection) =>
      waitForWorkspaces(connection, [...new Set(names)], { timeoutMs: flags.timeout, signal, say }),
    ),
  );
}
