import { Command } from 'commander';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
}

export function cancelCommand(): Command {
  return withClusterOptions(new Command('cancel'))
    .description('end the download of an image, or take it out of the queue, and give it up')
    .argument('<name>', 'name of the disk image')
    .addOption(namespaceOption())
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const [{ withCluster }, { markImage }, { answerCancel }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/mark-image.ts'),
    import('../../image/ask.ts'),
  ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  await withCluster(flags, (connection) => markImage(connection, at, (image) => answerCancel(image, new Date().toISOString())));
  process.stdout.write(
    `Cancelled ${at.namespace}/${name}; \`terrain image sync ${name} -n ${at.namespace}\` downloads it after all.\n`,
  );
}
