import { Command, Option } from 'commander';
import { durationArgument } from '../../output/duration-argument.ts';
import { CommandError, ExitCode } from '../../output/exit.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly timeout: number;
  readonly datasync?: readonly string[];
}

export function waitCommand(): Command {
  return withClusterOptions(new Command('wait'))
    .description('wait until images of the source their spec names are ready; exit code 1: given up, 3: not in time')
    .argument('[name...]', 'names of the disk images')
    .addOption(namespaceOption('namespace of the images (default: default)'))
    .option('--datasync <name...>', 'wait for all images of these DataSyncs instead')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for all of them')
        .default(1_800_000, '30m')
        .argParser(durationArgument),
    )
    .action(run);
}

async function run(names: readonly string[], flags: Flags): Promise<void> {
  const { datasync: sets = [], timeout: timeoutMs } = flags;
  if ((names.length === 0) === (sets.length === 0))
    throw new CommandError('say what to wait for: either names of images, or --datasync NAME.', ExitCode.usage);
  const [{ withCluster }, { awaitedImage }, { awaitedSet }, { waitForAll }, { interruptible }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/images.ts'),
    import('../../cluster/data-syncs.ts'),
    import('../../cluster/wait-for-all.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const namespace = flags.namespace ?? defaultNamespace;
  const addresses = [...new Set([...names, ...sets])].map((name) => ({ namespace, name }));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await interruptible((signal) =>
    withCluster(flags, (connection) => {
      const options = { timeoutMs, signal, say };
      return sets.length > 0
        ? waitForAll(connection, awaitedSet, addresses, options)
        : waitForAll(connection, awaitedImage, addresses, options);
    }),
  );
}
