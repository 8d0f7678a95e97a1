import { Command, InvalidArgumentError, Option } from 'commander';
import { durationArgument } from '../output/duration-argument.ts';
import { CommandError, ExitCode } from '../output/exit.ts';
import { interruptible } from '../output/interrupt.ts';
import { endWithNpm } from '../output/parent.ts';
import { ProgressView } from '../output/progress.ts';
import type { Product, UpOptions } from '../product/start.ts';
import { welcome } from '../product/welcome.ts';
import { announceToParent, runDetached } from './detach.ts';
import { homeOption } from './home.ts';

interface Flags extends UpOptions {
  readonly detach?: true;
  readonly exitWhenReady?: true;
}

/** Starts everything, shows it, and stays until Ctrl-C. */
export function upCommand(): Command {
  return new Command('up')
    .description('start a real Kubernetes on this machine with Terrain on it')
    .addOption(homeOption())
    .addOption(new Option('--nodes <kind>', 'nodes for pods to run on').choices(['simulated', 'none']).default('simulated'))
    .option('--real', 'run pods, networks, volumes and disk imports for real, on a node that is this machine (Linux, root)')
    .option('--detach', 'run in the background; `terrain down` stops it')
    .option('--exit-when-ready', 'stop again as soon as all is ready, with exit code 0')
    .addOption(
      new Option('--timeout <duration>', 'how long the examples may take to be ready')
        .default(600_000, '10m')
        .argParser(durationArgument),
    )
    .option('--binaries <dir>', 'use the ready-made programs of this directory instead of building them')
    .option(
      '--port <number>',
      'port of the API server on 127.0.0.1 (default: the one this home had before, or a free one)',
      portArgument,
    )
    .option('--no-examples', 'do not apply examples/')
    .option('--no-operator', 'do not run the operator')
    .option('--no-gateway', 'do not run the gateway (there is none in this version)')
    .option('--no-simulator', 'do not simulate CDI, KubeVirt and volume snapshots')
    .action((flags: Flags) => (flags.detach === true && process.send === undefined ? runDetached(flags.home) : run(flags)));
}

async function run(flags: Flags): Promise<void> {
  const view = new ProgressView();
  const parent = announceToParent();
  let isReady = false;
  // In the background we are meant to outlive the command that started us, npm included.
  using _parent = flags.detach === true ? undefined : endWithNpm();
  try {
    const { startProduct } = await import('../product/start.ts');
    await interruptible(async (signal) => {
      await using product = await startProduct(flags, view.show, signal);
      view.close();
      process.stderr.write(welcome(product));
      isReady = true;
      parent.ready();
      if (flags.exitWhenReady !== true) await stayUntilTheEnd(product, signal);
    });
  } catch (error) {
    view.close();
    parent.failed(error as Error);
    const isInterrupted = error instanceof CommandError && error.exitCode === ExitCode.interrupted;
    // Once all is ready, Ctrl-C is how a person ends it: no failure.
    if (!isReady || !isInterrupted) throw error;
    process.stderr.write('Stopped. The data is kept; the next start continues from here.\n');
  }
}

/** Returns never; rejects with the interruption, or with the reason why something ended by itself. */
async function stayUntilTheEnd(product: Product, signal: AbortSignal): Promise<void> {
  const interruption = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  throw await Promise.race([product.cluster.failed, interruption]);
}

function portArgument(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('Write a port between 1 and 65535.');
  return port;
}
