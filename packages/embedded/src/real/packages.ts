import { existsSync } from 'node:fs';
import { findOnPath } from '#binary/go-toolchain.ts';
import { EmbeddedError } from '#embedded-error.ts';
import { type Progress, runTask, silent } from '#progress.ts';
import { installDebianPackages } from './apt.ts';

/** Where Debian's network plugins are. */
export const cniPluginDirectory = '/usr/lib/cni';
export const busyboxProgram = '/bin/busybox';

/** Debian package by the program, or the file, that a real node needs of it. */
const nodePackages: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  runc: 'runc',
  [`${cniPluginDirectory}/bridge`]: 'containernetworking-plugins',
  busybox: 'busybox-static',
  iptables: 'iptables',
  nft: 'nftables',
  conntrack: 'conntrack',
  ipset: 'ipset',
  ip: 'iproute2',
  ethtool: 'ethtool',
  losetup: 'mount',
  'mkfs.ext4': 'e2fsprogs',
};

/** The path under which programs are looked for: those of the administrator are often missing in a user's. */
const searchPath = `${process.env.PATH ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`;

/** The packages that are not there yet. */
export function missingPackages(): string[] {
  const isThere = (needed: string) =>
    needed.startsWith('/') ? existsSync(needed) : findOnPath(needed, searchPath) !== undefined;
  return [...new Set(Object.entries(nodePackages).flatMap(([needed, name]) => (isThere(needed) ? [] : [name])))];
}

/** Who wants a real node, and where. */
export interface NodeUser {
  readonly platform: NodeJS.Platform;
  /** Undefined where the system has no such numbers. */
  readonly uid: number | undefined;
  /** Where programs are looked for. */
  readonly path: string;
}

const thisUser = (): NodeUser => ({ platform: process.platform, uid: process.getuid?.(), path: searchPath });

/** Why a real node cannot be started by this user on this machine; undefined when it can. */
export function nodeObstacle(missing: readonly string[], { platform, uid, path }: NodeUser = thisUser()): string | undefined {
  if (platform !== 'linux') return 'A real node needs Linux: leave out --real to use simulated nodes.';
  if (uid !== 0)
    return 'A real node needs root, for containers, networks and mounts: run this with sudo, or leave out --real to use simulated nodes.';
  if (missing.length > 0 && findOnPath('apt-get', path) === undefined)
    return `A real node needs ${missing.join(', ')}, and there is no apt-get to install them: install them by hand, or leave out --real to use simulated nodes.`;
  return undefined;
}

/** Installs what is missing, by name and without recommendations. */
export async function ensurePackages(progress: Progress = silent): Promise<void> {
  const missing = missingPackages();
  const obstacle = nodeObstacle(missing);
  if (obstacle !== undefined) throw new EmbeddedError('NodeImpossible', obstacle);
  if (missing.length === 0) return;
  const title = `Debian packages: ${missing.join(', ')}`;
  await runTask(progress, { name: 'packages', title, expectedMs: 30_000 }, async () => {
    await installDebianPackages(missing);
    const left = missingPackages();
    if (left.length > 0)
      throw new EmbeddedError('NodeImpossible', `apt-get installed ${left.join(', ')}, but not the programs expected of them.`);
  });
}
