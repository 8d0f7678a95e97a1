import { Command, Option } from 'commander';
import { type Form, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly output: Form;
}

export function treeCommand(): Command {
  return withClusterOptions(new Command('tree'))
    .description('show every object of a workspace with its state and the reason')
    .argument('<name>', 'name of the workspace')
    .addOption(new Option('-o, --output <form>', 'form of the output').choices(['table', 'json', 'yaml']).default('table'))
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const [{ withCluster }, { getWorkspace, partsOf }, { renderTree, treeOf }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/live.ts'),
    import('../../workspace/tree.ts'),
  ]);
  const { tree, forbidden } = await withCluster(flags, async (connection) => {
    const workspace = await getWorkspace(connection, name);
    const { objects, forbidden: kinds } = await partsOf(connection, workspace);
    return { tree: treeOf(workspace, objects), forbidden: kinds };
  });
  print(
    flags.output,
    () => tree,
    () => renderTree(tree),
  );
  if (forbidden.length > 0) process.stderr.write(`Not shown, because you may not list them: ${forbidden.join(', ')}.\n`);
}
