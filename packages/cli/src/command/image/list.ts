import { Command } from 'commander';
import { type Form, formOption, listOf, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption, workspaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly workspace?: string;
  readonly output: Form;
}

export function listCommand(): Command {
  return withClusterOptions(new Command('list'))
    .description('list disk images with phase, progress, references and what goes on')
    .addOption(namespaceOption(`only this namespace (default: ${defaultNamespace}; with --workspace all)`))
    .option('-A, --all-namespaces', 'all namespaces')
    .addOption(workspaceOption())
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { imagesOf }, { labels, labelValue }, { renderList }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/images.ts'),
    import('@terrain/api'),
    import('../../image/list.ts'),
  ]);
  const { workspace, output } = flags;
  const isEverywhere = flags.allNamespaces === true || (workspace !== undefined && flags.namespace === undefined);
  const namespace = isEverywhere ? undefined : (flags.namespace ?? defaultNamespace);
  const images = await withCluster(flags, async (connection) => {
    const selector = workspace === undefined ? {} : { labelSelector: `${labels.workspaceId}=${labelValue(workspace)}` };
    return (await imagesOf(connection).list(namespace === undefined ? {} : { namespace }, selector)).items;
  });
  if (images.length === 0 && (output === 'table' || output === 'wide')) {
    const ofWorkspace = workspace === undefined ? '' : ` of workspace ${workspace}`;
    process.stderr.write(
      `There are no disk images${ofWorkspace} in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}.\n`,
    );
    return;
  }
  print(
    output,
    () => listOf(images),
    (isWide) => renderList(images, { nowMs: Date.now(), isWide, hasNamespaces: namespace === undefined }),
  );
}
