import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError } from '../output/exit.ts';
import { homeOption } from './home.ts';

/** For `export KUBECONFIG=$(terrain kubeconfig)`: prints a path and nothing else. */
export function kubeconfigCommand(): Command {
  return new Command('kubeconfig')
    .description("print the path of the embedded cluster's kubeconfig")
    .addOption(homeOption())
    .action(async ({ home }: { home: string }) => {
      const { clusterStatus } = await import('@terrain/embedded');
      const { kubeconfig } = await clusterStatus(home);
      if (!existsSync(kubeconfig))
        throw new CommandError(`${home} has no cluster yet; start one with \`terrain up --home ${home}\`.`);
      process.stdout.write(`${kubeconfig}\n`);
    });
}
