import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
}

/** The TCP sockets on which one process accepts connections: the kernel lists those of the machine, and which are the process's by their number. */
export function listeningSockets(pid: number): ListeningSocket[] {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) => {
    const rows = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1);
    return rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === listening && own.has(inode) ? [{ address: readable(address), port: Number.parseInt(port, 16) }] : [];
    });
  });
}

const listening = '0A';

/** A descriptor may be closed while we look. */
function inodeOf(descriptor: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(descriptor))?.slice(1) ?? [];
  } catch {
    return [];
  }
}

/** The kernel writes an address as words in the order of the machine's memory. */
function readable(hex: string): string {
  if (hex.length === 8) return Buffer.from(hex, 'hex').reverse().join('.');
  return hex === '00000000000000000000000001000000' ? '::1' : hex;
}
