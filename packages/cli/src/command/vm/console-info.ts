import { Command } from 'commander';
import { type Form, formOption, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace } from '../image/namespace.ts';
import { machineNamespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly output: Form;
}

export function consoleInfoCommand(): Command {
  return withClusterOptions(new Command('console-info'))
    .description('show how to reach a machine: console, addresses and users, without passwords')
    .argument('<name>', 'name of the machine')
    .addOption(machineNamespaceOption())
    .addOption(formOption())
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const [{ withCluster }, { getMachine, mayOpenConsole }, { consoleInfo, renderConsoleInfo }, { kubevirtMachineName }] =
    await Promise.all([
      import('../../cluster/connect.ts'),
      import('../../cluster/machines.ts'),
      import('../../vm/console-info.ts'),
      import('@terrain/api'),
    ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  const info = await withCluster(flags, async (connection) => {
    const machine = await getMachine(connection, at);
    return consoleInfo(machine, await mayOpenConsole(connection, at.namespace, kubevirtMachineName(name)));
  });
  print(
    flags.output,
    () => info,
    () => renderConsoleInfo(info),
  );
}
