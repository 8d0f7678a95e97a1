import { readdir, readFile, readlink } from 'node:fs/promises';

/** The program that listens on a TCP port of this machine, where the system lets us see it (Linux: our own, or all as root). */
export async function portHolder(port: number): Promise<{ readonly pid: number; readonly program: string } | undefined> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const inode of listeningInodes(await readFile(table, 'utf8').catch(() => ''), port)) inodes.add(`socket:[${inode}]`);
  }
  if (inodes.size === 0) return undefined;
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    for (const descriptor of await readdir(`/proc/${name}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${name}/fd/${descriptor}`).catch(() => '');
      if (inodes.has(target))
        return { pid: Number(name), program: (await readFile(`/proc/${name}/comm`, 'utf8').catch(() => '?')).trim() };
    }
  }
  return undefined;
}

const listening = '0A';

/** Socket inodes that listen on the port, from the text of /proc/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(`:${wanted}`) && state === listening && inode !== undefined ? [inode] : [];
  });
}

/** Why a cluster cannot start on its port, and what helps. */
export async function portTakenSentence(port: number, home: string): Promise<string> {
  const holder = await portHolder(port);
  const by =
    holder === undefined
      ? `another program (\`ss -ltnp 'sport = :${port}'\` shows which)`
      : `${holder.program} (process ${holder.pid})`;
  return `Port ${port} on 127.0.0.1, which the cluster in ${home} uses, is taken by ${by}: stop that program, or choose another port with --port.`;
}
