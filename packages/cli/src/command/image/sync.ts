import { Command } from 'commander';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
}

export function syncCommand(): Command {
  return withClusterOptions(new Command('sync'))
    .description('ask for another try of an image that failed or was cancelled')
    .argument('<name>', 'name of the disk image')
    .addOption(namespaceOption())
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const [{ withCluster }, { markImage }, { answerSync }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/mark-image.ts'),
    import('../../image/ask.ts'),
  ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  const answer = await withCluster(flags, (connection) =>
    markImage(connection, at, (image) => answerSync(image, new Date().toISOString())),
  );
  const asked = `Asked for another try of ${at.namespace}/${name}; \`terrain image wait ${name} -n ${at.namespace}\` follows it.`;
  process.stdout.write(`${answer.kind === 'done' ? answer.sentence : asked}\n`);
}
