import { Command } from 'commander';
import { type Form, formOption, listOf, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption } from '../image/namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly output: Form;
}

export function listCommand(): Command {
  return withClusterOptions(new Command('list'))
    .description('list machines with phase, state, address and what goes on')
    .addOption(namespaceOption(`only this namespace (default: ${defaultNamespace})`))
    .option('-A, --all-namespaces', 'all namespaces')
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { machinesOf }, { renderList }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/machines.ts'),
    import('../../vm/list.ts'),
  ]);
  const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? defaultNamespace);
  const machines = await withCluster(
    flags,
    async (connection) => (await machinesOf(connection).list(namespace === undefined ? {} : { namespace })).items,
  );
  if (machines.length === 0 && (flags.output === 'table' || flags.output === 'wide')) {
    const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
    process.stderr.write(`There are no machines in ${where}.\n`);
    return;
  }
  print(
    flags.output,
    () => listOf(machines),
    (isWide) => renderList(machines, { nowMs: Date.now(), isWide, hasNamespaces: namespace === undefined }),
  );
}
