import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { signalProcess } from '#process/guard.ts';
import { until } from '#process/until.ts';
import { podProcesses } from './control-group.ts';

/** What containerd starts for each pod and what outlives containerd: told by the socket of ours on its command line. */
async function shimProcesses(socket: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const isShim = /^containerd-shim/.test(basename(args[0] ?? '')) && args[args.indexOf('-address') + 1] === socket;
      return isShim ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Ends all pods of our node at once and waits until they are gone; returns how many processes there were. */
export async function killPods(socket: string): Promise<number> {
  const ended = new Set<number>();
  await until(
    'the end of all processes of pods',
    async () => {
      const left = [...(await shimProcesses(socket)), ...(await podProcesses())];
      for (const pid of left) {
        ended.add(pid);
        signalProcess(pid, 'SIGKILL');
      }
      return left.length === 0 ? true : undefined;
    },
    { timeoutMs: 30_000, missing: () => 'a process that cannot be killed waits for a disk or a network share' },
  );
  return ended.size;
}
