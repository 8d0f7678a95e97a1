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
  const [{ withCluster }, { getImage, imagesOf }, { annotations }, { judge }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/images.ts'),
    import('@terrain/api'),
    import('../../image/state.ts'),
  ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  const where = `${at.namespace}/${name}`;
  await withCluster(flags, async (connection) => {
    const image = await getImage(connection, at);
    if (judge(image).kind === 'ready') {
      process.stdout.write(`${where} is ready already: nothing is downloaded again unless its source changes.\n`);
      return;
    }
    // A cancellation that stays would end the new try at once.
    const changes = { [annotations.retry]: new Date().toISOString(), [annotations.cancel]: null };
    await imagesOf(connection).mergePatch(at, { metadata: { annotations: changes } }, { fieldManager: 'terrain-cli' });
    process.stdout.write(`Asked for another try of ${where}; \`terrain image wait ${name} -n ${at.namespace}\` follows it.\n`);
  });
}
