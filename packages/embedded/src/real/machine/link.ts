import { runCommand } from '#csi/command.ts';
import { nodeNetwork } from '../network.ts';

/** How our bridges are told from others: by the alias they carry. The second is set by the program before the bridge plugin. */
const podBridgeAlias = 'terrain-pods';
const tenantBridgeAlias = 'terrain-network';

interface Link {
  readonly ifname: string;
  readonly ifalias?: string;
}

/** Makes the bridge of the pods with its address, so that what listens there can start before the first pod. */
export async function makePodBridge(): Promise<void> {
  const { bridge, address, prefixLength } = nodeNetwork;
  await runCommand('ip', ['link', 'add', bridge, 'type', 'bridge']);
  // In this order: a link that is up has its own IPv6 address already.
  for (const setting of [['addrgenmode', 'none'], ['alias', podBridgeAlias], ['up']])
    await runCommand('ip', ['link', 'set', bridge, ...setting]);
  await runCommand('ip', ['address', 'add', `${address}/${prefixLength}`, 'brd', '+', 'dev', bridge]);
}

/** Removes all bridges that carry our alias; returns their names. */
export async function removeBridges(): Promise<string[]> {
  const names = (await bridges())
    .filter(({ ifalias }) => ifalias === podBridgeAlias || ifalias === tenantBridgeAlias)
    .map(({ ifname }) => ifname);
  for (const name of names) await runCommand('ip', ['link', 'del', name]);
  return names;
}

/** Why the pod bridge cannot be made: somebody else has that name or that address; undefined when nothing is in the way. */
export async function podBridgeObstacle(): Promise<string | undefined> {
  const { bridge, address, podRange } = nodeNetwork;
  if ((await bridges()).some(({ ifname }) => ifname === bridge))
    return `there is a network interface ${bridge} that Terrain did not make: remove it with \`ip link del ${bridge}\``;
  const route = await runCommand('ip', ['-4', 'route', 'show', 'root', podRange]);
  if (route.trim() !== '')
    return `this machine already uses ${podRange}, where pods would be (${route.trim().split('\n')[0]}): stop what uses it; ${address} must be free`;
  return undefined;
}

async function bridges(): Promise<readonly Link[]> {
  return JSON.parse((await runCommand('ip', ['-j', 'link', 'show', 'type', 'bridge'])) || '[]') as Link[];
}
