import { Command, CommanderError } from 'commander';
import { buildCommand } from './command/build.ts';
import { doctorCommand } from './command/doctor.ts';
import { downCommand } from './command/down.ts';
import { imageCommand } from './command/image/image.ts';
import { kubeconfigCommand } from './command/kubeconfig.ts';
import { statusCommand } from './command/status.ts';
import { upCommand } from './command/up.ts';
import { vmCommand } from './command/vm/vm.ts';
import { workspaceCommand } from './command/workspace/workspace.ts';
import { exitCodeOf, sentenceOf } from './output/exit.ts';
import { version } from './version.ts';

/**
 * Parses the command line and runs what it names. Each command is a file in command/ that loads what it needs when it runs, so that `--help` does not
 * pay for an API client. Failures become one sentence and an exit code.
 */
export async function main(): Promise<void> {
  const program = new Command('terrain')
    .description('Working labs on Kubernetes.')
    .version(version)
    .showHelpAfterError('(`terrain --help` lists what there is)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();

  for (const command of [
    upCommand,
    downCommand,
    statusCommand,
    kubeconfigCommand,
    doctorCommand,
    buildCommand,
    imageCommand,
    vmCommand,
    workspaceCommand,
  ]) {
    program.addCommand(command().exitOverride());
  }

  try {
    await program.parseAsync();
  } catch (error) {
    // commander has printed its own words already.
    if (!(error instanceof CommanderError)) process.stderr.write(`terrain: ${sentenceOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
