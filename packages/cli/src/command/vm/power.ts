import { Command } from 'commander';
import { CommandError } from '../../output/exit.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { addressesOf, machineNamespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
}

type PowerState = 'Running' | 'Stopped';

export const startCommand = (): Command => powerCommand('start', 'Running', 'start machines: sets spec.powerState to Running');

export const stopCommand = (): Command =>
  powerCommand('stop', 'Stopped', 'shut machines down, their disks are kept: sets spec.powerState to Stopped');

function powerCommand(verb: string, powerState: PowerState, description: string): Command {
  return withClusterOptions(new Command(verb))
    .description(description)
    .argument('<name...>', 'names of the machines')
    .addOption(machineNamespaceOption())
    .action((names: readonly string[], flags: Flags) => run(names, flags, verb, powerState));
}

async function run(names: readonly string[], flags: Flags, verb: string, powerState: PowerState): Promise<void> {
  const [{ withCluster }, { changeMachine, getMachine }, { cautions, keyOf }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../cluster/machines.ts'),
    import('../../vm/state.ts'),
  ]);
  await withCluster(flags, async (connection) => {
    const machines = [];
    for (const at of addressesOf(names, flags.namespace)) machines.push(await getMachine(connection, at));
    const leaving = machines.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (leaving !== undefined) throw new CommandError(`${keyOf(leaving)} is being deleted: it cannot ${verb} any more.`);
    for (const machine of machines) {
      const { name, namespace } = machine.metadata;
      for (const caution of cautions(machine)) process.stderr.write(`${keyOf(machine)}: ${caution}.\n`);
      if (machine.spec.powerState === powerState) {
        process.stdout.write(`${keyOf(machine)} is asked to be ${powerState.toLowerCase()} already.\n`);
        continue;
      }
      await changeMachine(connection, machine, { powerState });
      process.stdout.write(`Asked ${keyOf(machine)} to ${verb}; \`terrain vm wait ${name} -n ${namespace}\` follows it.\n`);
    }
  });
}
