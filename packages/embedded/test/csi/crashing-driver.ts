/** A driver that is killed at one chosen step: `node crashing-driver.ts DIRECTORY STEP middle|after`. Says `ready` when it listens. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Driver } from '#csi/driver.ts';
import { realHost } from '#csi/node/host.ts';
import { realDisk } from '#csi/store/disk.ts';
import { services } from './stand.ts';

const [directory = '', step = '', moment = ''] = process.argv.slice(2);
let left = Number(step);
let isArmed = false;

/** What a step that was broken off leaves behind, where that differs from all and from nothing. */
const halves: Record<string, (...paths: string[]) => void> = {
  copyImage: (from, to) => writeFileSync(to!, readFileSync(from!).subarray(0, 8 * 1024 ** 2)),
  format: (image) => writeFileSync(image!, Buffer.alloc(4096, 'x'), { flag: 'r+' }),
  writeFile: (path, text) => writeFileSync(path!, text!.slice(0, 10)),
  remove: (path) => rmSync(join(path!, 'record.json'), { force: true }),
};

type Effect = (...args: unknown[]) => Promise<unknown>;

/** The same effects, counted; readers are no steps. */
function killedAt<T extends object>(effects: T, readers: readonly string[] = []): T {
  const counted = Object.entries(effects as Record<string, Effect>).map(([name, effect]): [string, Effect] => [
    name,
    async (...args) => {
      const isNow = isArmed && !readers.includes(name) && --left === 0;
      if (isNow && moment === 'middle') {
        halves[name]?.(...(args as string[]));
        process.kill(process.pid, 'SIGKILL');
      }
      const result = await effect(...args);
      if (isNow) process.kill(process.pid, 'SIGKILL');
      return result;
    },
  ]);
  return Object.fromEntries(counted) as T;
}

await Driver.start({
  root: join(directory, 'root'),
  socket: join(directory, 'crashing.sock'),
  nodeId: 'node1',
  services: await services(),
  disk: killedAt(realDisk),
  host: killedAt(realHost, ['loopDevices', 'mounts', 'fileSystemBytes']),
});
isArmed = true;
process.stdout.write('ready\n');
