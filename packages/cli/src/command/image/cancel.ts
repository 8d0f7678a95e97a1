import { Command } from 'commander';
import { CommandError } from '../../output/exit.ts';
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
  const [{ withCluster }, { getImage, imagesOf }, { annotations }, { judge }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/images.ts'),
    import('@terrain/api'),
    import('../../image/state.ts'),
  ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  const where = `${at.namespace}/${name}`;
  await withCluster(flags, async (connection) => {
    const verdict = judge(await getImage(connection, at));
    // The annotation stays on the object: set on an image at rest it would end the download of its next source.
    if (verdict.kind === 'ready') throw new CommandError(`${where} is ready: there is no download to cancel.`);
    if (verdict.kind === 'gaveUp') throw new CommandError(`${where} is not being downloaded: ${verdict.message}`);
    const changes = { [annotations.cancel]: new Date().toISOString() };
    await imagesOf(connection).mergePatch(at, { metadata: { annotations: changes } }, { fieldManager: 'terrain-cli' });
    process.stdout.write(`Cancelled ${where}; \`terrain image sync ${name} -n ${at.namespace}\` downloads it after all.\n`);
  });
}
