import { Command } from 'commander';
import { homeOption } from './home.ts';

/** Ends what `up` started in this home, from another terminal or after `--detach`. */
export function downCommand(): Command {
  return new Command('down')
    .description('stop the embedded cluster; its data is kept')
    .addOption(homeOption())
    .option('--wipe', 'also set the data aside, so that the next start begins with an empty cluster')
    .action(async ({ home, wipe }: { home: string; wipe?: true }) => {
      const { stopCluster } = await import('@terrain/embedded');
      const { pid, wasKilled, dataAside } = await stopCluster(home, { wipe });
      const ended = wasKilled ? `Process ${pid} did not end in time and was killed.` : `Stopped (process ${pid}).`;
      process.stdout.write(`${pid === undefined ? `Nothing was running in ${home}.` : ended}\n`);
      if (dataAside !== undefined)
        process.stdout.write(`The data is now in ${dataAside}; remove it when you no longer need it.\n`);
    });
}
