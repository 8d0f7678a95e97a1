import { Command } from 'commander';
import { CommandError } from '../../output/exit.ts';
import { type Form, formOption, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly output: Form;
}

export function policyCommand(): Command {
  return withClusterOptions(new Command('policy'))
    .description('show the sync policy in force and where each value comes from')
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { readLedger, readPolicyConfigMap }, { policyInForce, renderPolicy }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/images.ts'),
    import('../../image/policy.ts'),
  ]);
  const values = await withCluster(flags, async (connection) => {
    // First the ConfigMap: a ledger that is newer has judged it.
    const configMap = await readPolicyConfigMap(connection);
    const ledger = await readLedger(connection);
    if (typeof ledger === 'string') throw new CommandError(`what is in force is not known: ${ledger}.`);
    return policyInForce(ledger, configMap);
  });
  print(
    flags.output,
    () => values,
    () => renderPolicy(values),
  );
}
