import { Command } from 'commander';
import { CommandError } from '../../output/exit.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace } from '../image/namespace.ts';
import { machineNamespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly yes?: true;
  readonly dryRun?: true;
}

export function resetCommand(): Command {
  return withClusterOptions(new Command('reset'))
    .description('throw the root disk of a machine away and give it a fresh one from its image; asks first')
    .argument('<name>', 'name of the machine')
    .addOption(machineNamespaceOption())
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only tell what would be lost')
    .action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const [
    { withCluster },
    { changeMachine, getMachine },
    { readImage },
    { keyOf },
    { imageAddress, resetPlan },
    { confirm },
    { interruptible },
  ] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/machines.ts'),
    import('../../cluster/read-image.ts'),
    import('../../vm/state.ts'),
    import('../../vm/reset.ts'),
    import('../../output/confirm.ts'),
    import('../../output/interrupt.ts'),
  ]);
  const at = { namespace: flags.namespace ?? defaultNamespace, name };
  await interruptible((signal) =>
    withCluster(flags, async (connection) => {
      const machine = await getMachine(connection, at);
      if (machine.metadata.deletionTimestamp !== undefined) throw new CommandError(`${keyOf(machine)} is being deleted.`);
      const plan = resetPlan(machine, await readImage(connection, imageAddress(machine)));
      process.stderr.write(plan.map((line) => `${line}\n`).join(''));
      if (flags.dryRun === true) return;
      if (flags.yes !== true && !(await confirm(`Reset ${keyOf(machine)}?`, signal)))
        throw new CommandError('nothing was changed.');
      await changeMachine(connection, machine, { resetToken: new Date().toISOString() });
      process.stdout.write(
        `Asked for a fresh disk of ${keyOf(machine)}; \`terrain vm wait ${name} -n ${at.namespace}\` follows it.\n`,
      );
    }),
  );
}
