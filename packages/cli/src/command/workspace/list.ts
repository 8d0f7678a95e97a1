import { Command } from 'commander';
import { type Form, formOption, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly output: Form;
}

export function listCommand(): Command {
  return withClusterOptions(new Command('list'))
    .description('list workspaces with phase, parts that are ready, age and what goes on')
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { workspacesOf }, { renderList }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/live.ts'),
    import('../../workspace/list.ts'),
  ]);
  const { items } = await withCluster(flags, (connection) => workspacesOf(connection).list());
  if (items.length === 0 && (flags.output === 'table' || flags.output === 'wide')) {
    process.stderr.write('There are no workspaces.\n');
    return;
  }
  print(
    flags.output,
    () => ({ apiVersion: 'v1', kind: 'List', items: items.map(withoutManagedFields) }),
    (isWide) => renderList(items, { nowMs: Date.now(), isWide }),
  );
}

/** As kubectl shows objects: who wrote which field is of no use to a reader. */
function withoutManagedFields<T extends { readonly metadata: object }>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as { managedFields?: unknown };
  return { ...object, metadata };
}
