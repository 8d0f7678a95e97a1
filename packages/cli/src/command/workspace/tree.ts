import { Command, Option } from 'commander';
import { type Form, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly output: Form;
  readonly watch?: true;
}

export function treeCommand(): Command {
  return withClusterOptions(new Command('tree'))
    .description('show every object of a workspace with its state and the reason')
    .argument('<name>', 'name of the workspace')
    .option(
      '-w, --watch',
      'go on until Ctrl-C, or until the workspace is gone: in a terminal the tree changes, in a pipe a line tells each change',
    )
    .addOption(new Option('-o, --output <form>', 'form of the output').choices(['table', 'json', 'yaml']).default('table'))
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  return flags.watch === true ? follow(name, flags) : show(name, flags);
}

const notShown = (kinds: readonly string[]): string => `Not shown, because you may not list them: ${kinds.join(', ')}.\n`;

async function show(name: string, flags: Flags): Promise<void> {
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
  if (forbidden.length > 0) process.stderr.write(notShown(forbidden));
}

async function follow(name: string, flags: Flags): Promise<void> {
  const [{ withCluster }, { followTree }, { TreeView }, { interruptible }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/follow.ts'),
    import('../../workspace/tree-view.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const view = new TreeView(process.stdout, () => new Date().toLocaleTimeString('en-GB'));
  const resized = (): void => view.resized();
  process.stdout.on('resize', resized);
  let hidden: readonly string[] = [];
  const end = await interruptible((signal) =>
    withCluster(flags, (connection) =>
      followTree(connection, name, {
        signal,
        onTree: (tree) => {
          if (flags.output === 'table') view.show(tree);
          else printEach(flags.output, tree);
        },
        onForbidden: (kinds) => {
          hidden = kinds;
        },
      }),
    ),
  ).finally(() => {
    process.stdout.off('resize', resized);
    view.close();
  });
  if (hidden.length > 0) process.stderr.write(notShown(hidden));
  if (end === 'gone') process.stderr.write(`Workspace ${name} is gone.\n`);
}

/** One document for every change, as programs read them from a stream. */
function printEach(form: Form, tree: object): void {
  if (form === 'json') process.stdout.write(`${JSON.stringify(tree)}\n`);
  else {
    process.stdout.write('---\n');
    print(
      form,
      () => tree,
      () => '',
    );
  }
}
