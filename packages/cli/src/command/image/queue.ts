import { Command } from 'commander';
import type { Queue } from '../../image/queue.ts';
import { type Form, formOption, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { namespaceOption, workspaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly workspace?: string;
  readonly output: Form;
}

export function queueCommand(): Command {
  return withClusterOptions(new Command('queue'))
    .description('show the global download queue: what runs, how far it is, who is next and when')
    .addOption(namespaceOption('show only images of this namespace; positions stay those of the whole queue'))
    .addOption(workspaceOption())
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { imagesOf, readLedger }, { labels, labelValue }, { queueOf }, { keyOf }, { renderQueue }] =
    await Promise.all([
      import('../../cluster/connect.ts'),
      import('../../cluster/images.ts'),
      import('@terrain/api'),
      import('../../image/queue.ts'),
      import('../../image/state.ts'),
      import('../../image/queue-table.ts'),
    ]);
  const { images, ledger } = await withCluster(flags, async (connection) => ({
    // First the ledger: an image admitted in between shows as waiting, never twice.
    ledger: await readLedger(connection),
    images: (await imagesOf(connection).list()).items,
  }));
  const nowMs = Date.now();
  const { workspace, namespace } = flags;
  const label = workspace === undefined ? undefined : labelValue(workspace);
  const ofWorkspace = new Set(images.filter(({ metadata }) => metadata.labels?.[labels.workspaceId] === label).map(keyOf));
  const isWanted = ({ image }: { readonly image: string }): boolean =>
    (namespace === undefined || image.startsWith(`${namespace}/`)) && (label === undefined || ofWorkspace.has(image));
  const whole = queueOf(images, ledger, nowMs);
  const queue: Queue = { ...whole, active: whole.active.filter(isWanted), waiting: whole.waiting.filter(isWanted) };
  print(
    flags.output,
    () => queue,
    (isWide) => renderQueue(queue, { nowMs, isWide }),
  );
}
