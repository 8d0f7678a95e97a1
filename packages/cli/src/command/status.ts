import type { ClusterStatus } from '@terrain/embedded';
import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { ExitCode } from '../output/exit.ts';
import { table } from '../output/table.ts';
import { homeOption } from './home.ts';

const mebibyte = 1024 ** 2;

/** Says what runs in a home. Exit code 0 only when a healthy cluster runs. */
export function statusCommand(): Command {
  return new Command('status')
    .description('show what runs, where, and how much memory it takes')
    .addOption(homeOption())
    .addOption(new Option('-o, --output <form>', 'form of the output').choices(['table', 'json', 'yaml']).default('table'))
    .action(async ({ home, output }: { home: string; output: 'table' | 'json' | 'yaml' }) => {
      const { clusterStatus } = await import('@terrain/embedded');
      const status = await clusterStatus(home);
      if (output === 'json') process.stdout.write(`${JSON.stringify(status, undefined, 2)}\n`);
      else process.stdout.write(output === 'yaml' ? stringify(status) : describeStatus(status));
      process.exitCode = status.state === 'running' ? ExitCode.ok : ExitCode.failed;
    });
}

export function describeStatus(status: ClusterStatus): string {
  const start = `start one with \`terrain up --home ${status.home}\``;
  if (status.state === 'absent') return `There is no cluster in ${status.home}; ${start}.\n`;
  if (status.state === 'stopped') return `The cluster in ${status.home} is stopped; ${start}.\n`;
  if (status.state === 'starting') return `The cluster in ${status.home} is starting (process ${status.pid}).\n`;
  const facts = table([
    ['Cluster', status.state === 'running' ? 'running' : `unhealthy: ${status.problem ?? 'no reason known'}`],
    ['Kubernetes', `${status.kubernetes ?? 'unknown version'} at https://127.0.0.1:${status.port}`],
    ['Home', status.home],
    ['Kubeconfig', status.kubeconfig],
  ]);
  const processes = table([
    ['PROCESS', 'PID', 'MEMORY'],
    ...status.processes.map(({ name, pid, residentBytes }) => [name, String(pid), memory(residentBytes)]),
  ]);
  return `${facts}\n${processes}`;
}

const memory = (bytes: number | undefined): string => (bytes === undefined ? 'unknown' : `${Math.round(bytes / mebibyte)} MiB`);
