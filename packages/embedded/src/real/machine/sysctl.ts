import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Settings of the kernel that a real node changes: the first one by us, the others by kubelet and kube-router on their own. All are put back.
 */
export const changedSettings = [
  'net.ipv4.ip_forward',
  'kernel.panic',
  'kernel.panic_on_oops',
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'kernel.keys.root_maxkeys',
  'kernel.keys.root_maxbytes',
  'net.bridge.bridge-nf-call-iptables',
  'net.bridge.bridge-nf-call-ip6tables',
] as const;

export type Settings = Readonly<Record<string, string>>;

/** Their values now; those that this kernel does not have are left out. */
export async function readSettings(): Promise<Settings> {
  const values = await Promise.all(changedSettings.map(async (name) => [name, await read(name)] as const));
  return Object.fromEntries(values.filter((pair): pair is [(typeof changedSettings)[number], string] => pair[1] !== undefined));
}

/** Lets the machine pass packets between its interfaces, without which no pod reaches anything. */
export async function allowForwarding(): Promise<void> {
  await write('net.ipv4.ip_forward', '1');
}

/** Puts back what differs; returns the names of what did. */
export async function restoreSettings(saved: Settings): Promise<string[]> {
  const restored: string[] = [];
  for (const name of changedSettings) {
    const value = saved[name];
    if (value === undefined || (await read(name)) === value) continue;
    await write(name, value);
    restored.push(name);
  }
  return restored;
}

function read(name: string): Promise<string | undefined> {
  return readFile(pathOf(name), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

async function write(name: string, value: string): Promise<void> {
  await writeFile(pathOf(name), value);
}

function pathOf(name: string): string {
  return join('/proc/sys', name.replaceAll('.', '/'));
}
