import { Command, Option } from 'commander';
import { durationArgument } from '../../output/duration-argument.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { addressesOf, machineNamespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly timeout: number;
}

export function waitCommand(): Command {
  return withClusterOptions(new Command('wait'))
    .description('wait until machines are as their specs ask, running or stopped; exit code 1: failed, 3: not in time')
    .argument('<name...>', 'names of the machines')
    .addOption(machineNamespaceOption())
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for all of them')
        .default(1_800_000, '30m')
        .argParser(durationArgument),
    )
    .action(run);
}

async function run(names: readonly string[], flags: Flags): Promise<void> {
  const [{ withCluster }, { awaitedMachine }, { waitForAll }, { interruptible }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/machines.ts'),
    import('../../cluster/wait-for-all.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const machines = addressesOf(names, flags.namespace);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await interruptible((signal) =>
    withCluster(flags, (connection) =>
      waitForAll(connection, awaitedMachine, machines, { timeoutMs: flags.timeout, signal, say }),
    ),
  );
}
