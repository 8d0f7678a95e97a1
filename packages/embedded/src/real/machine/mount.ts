import { runCommand } from '#csi/command.ts';
import { realHost } from '#csi/node/host.ts';
import { until } from '#process/until.ts';

/** Unmounts everything below these directories, the latest first; returns how many there were. */
export async function unmountBelow(directories: readonly string[]): Promise<number> {
  const isOurs = (path: string) => directories.some((directory) => path === directory || path.startsWith(`${directory}/`));
  let count = 0;
  // Each round removes one layer at least: a path may be mounted over more than once.
  for (let round = 0; round < 10; round++) {
    const paths = (await realHost.mounts()).map(({ path }) => path).filter(isOurs);
    if (paths.length === 0) break;
    for (const path of paths.reverse()) if (await unmount(path)) count++;
  }
  return count;
}

/** A process that just ended may hold a mount for a moment longer. */
async function unmount(path: string): Promise<boolean> {
  const attempt = () =>
    runCommand('umount', [path]).then(
      () => true,
      (error: Error) => (/not mounted/.test(error.message) ? false : undefined),
    );
  // What stays busy is taken out of sight: it goes when its last user does.
  return until(`unmounting ${path}`, attempt, { timeoutMs: 5000, everyMs: 100 }).catch(() =>
    runCommand('umount', ['--lazy', path]).then(
      () => true,
      () => false,
    ),
  );
}

/** Frees the loop devices that show files below a directory; returns how many. */
export async function detachBelow(directory: string): Promise<number> {
  const devices = (await realHost.loopDevices()).filter(({ image }) => image.startsWith(`${directory}/`));
  for (const device of devices) await realHost.detach(device);
  return devices.length;
}
