import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Settings of the kernel that a real node changes: the first one by us, the others by kubelet on its own. All are put back. */
export const changedSettings = ['net.ipv4.ip_forward', 'kernel.panic', 'kernel.panic_on_oops', 'vm.overcommit_memory'] as const;

/**
 * Settings that the node's programs need at a value and that are never changed: kubelet would set its own, and without the filter on bridges network
 * policies would silently not hold between pods.
 */
const neededSettings: Readonly<Record<string, { readonly value: string; readonly reason: string; readonly module?: string }>> = {
  'vm.panic_on_oom': { value: '0', reason: 'kubelet would change it' },
  'kernel.keys.root_maxkeys': { value: '1000000', reason: 'kubelet would change it' },
  'kernel.keys.root_maxbytes': { value: '25000000', reason: 'kubelet would change it' },
  'net.bridge.bridge-nf-call-iptables': { value: '1', reason: 'network policies need it', module: 'br_netfilter' },
  'net.bridge.bridge-nf-call-ip6tables': { value: '1', reason: 'network policies need it', module: 'br_netfilter' },
};

export type Settings = Readonly<Record<string, string>>;

/** Their values now; those that this kernel does not have are left out. */
export async function readSettings(): Promise<Settings> {
  return readAll([...changedSettings, ...(await followers())]);
}

/** Why no real node may be started with the kernel's settings as they are, as the end of a sentence; undefined when one may. */
export async function settingsObstacle(): Promise<string | undefined> {
  return judgeSettings(await readAll(Object.keys(neededSettings)));
}

/** Pure. A setting that the kernel does not have cannot be changed either; it matters only where a module would bring it. */
export function judgeSettings(found: Settings): string | undefined {
  const entries = Object.entries(neededSettings);
  const absent = entries.find(([name, { module }]) => module !== undefined && found[name] === undefined);
  if (absent !== undefined)
    return `the kernel has no ${absent[0]}, and ${absent[1].reason}: load it with \`modprobe ${absent[1].module}\``;
  const wrong = entries.filter(([name, { value }]) => found[name] !== undefined && found[name] !== value);
  if (wrong.length === 0) return undefined;
  const facts = wrong.map(([name, { value, reason }]) => `${name} is ${found[name]} and must be ${value} (${reason})`);
  const command = `sysctl -w ${wrong.map(([name, { value }]) => `${name}=${value}`).join(' ')}`;
  return `${facts.join(', and ')}: Terrain leaves that to you, with \`${command}\``;
}

/** Lets the machine pass packets between its interfaces, without which no pod reaches anything. */
export async function allowForwarding(): Promise<void> {
  await write('net.ipv4.ip_forward', '1');
}

/** Puts back what differs; returns the names of what did. */
export async function restoreSettings(saved: Settings): Promise<string[]> {
  const restored: string[] = [];
  // In this order: the kernel changes the followers with the first of all.
  for (const name of [...changedSettings, ...(await followers())]) {
    const value = saved[name];
    if (value === undefined || (await read(name)) === value) continue;
    await write(name, value);
    restored.push(name);
  }
  return restored;
}

/** What the kernel sets along with ip_forward, for every interface there is, and sets to its own idea when ip_forward is put back. */
async function followers(): Promise<string[]> {
  const directory = 'net/ipv4/conf';
  const interfaces = await readdir(join('/proc/sys', directory)).catch(() => []);
  const forwarding = interfaces.filter((name) => name !== 'all').map((name) => `${directory}/${name}/forwarding`);
  return [`${directory}/all/accept_redirects`, ...forwarding];
}

async function readAll(names: readonly string[]): Promise<Settings> {
  const values = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  return Object.fromEntries(values.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
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

/** Names of interfaces may hold dots, so a name with slashes is a path already. */
function pathOf(name: string): string {
  return join('/proc/sys', name.includes('/') ? name : name.replaceAll('.', '/'));
}
