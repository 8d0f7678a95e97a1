import { Command, Option } from 'commander';
import { durationArgument } from '../../output/duration-argument.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly timeout: number;
  readonly wait: boolean;
}

export function deleteCommand(): Command {
  return withClusterOptions(new Command('delete'))
    .description('delete workspaces and wait until nothing of them is left; exit code 3: not in time, with what blocks')
    .argument('<name...>', 'names of the workspaces')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for all of them').default(600_000, '10m').argParser(durationArgument),
    )
    .option('--no-wait', 'return as soon as the deletion has been asked for')
    .action(run);
}

async function run(names: readonly string[], flags: Flags): Promise<void> {
  const [{ withCluster }, { deleteWorkspaces }, { interruptible }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/delete.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await interruptible((signal) =>
    withCluster(flags, (connection) =>
      deleteWorkspaces(connection, [...new Set(names)], { timeoutMs: flags.timeout, signal, say, isWaiting: flags.wait }),
    ),
  );
}
