import { readFile } from 'node:fs/promises';
import { runCommand } from '../command.ts';
import { Refusal } from '../refusal.ts';
import { fileSystemType } from '../volume/capability.ts';

/** The name in StorageClass, CSIDriver and on every PersistentVolume. */
export const driverName = 'csi.terrain.dev';
/** Of the driver, not of CSI. */
const vendorVersion = '0.1.0';

const controllerCapabilities = [
  'CREATE_DELETE_VOLUME',
  'LIST_VOLUMES',
  'GET_CAPACITY',
  'CREATE_DELETE_SNAPSHOT',
  'LIST_SNAPSHOTS',
  'CLONE_VOLUME',
  'EXPAND_VOLUME',
  'SINGLE_NODE_MULTI_WRITER',
];
const nodeCapabilities = ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS', 'EXPAND_VOLUME', 'SINGLE_NODE_MULTI_WRITER'];

/** What the driver says of itself. */
export function identityMethods() {
  return {
    getPluginInfo: async () => ({ name: driverName, vendorVersion }),
    getPluginCapabilities: async () => ({
      capabilities: [
        { service: { type: 'CONTROLLER_SERVICE' } },
        { volumeExpansion: { type: (await canGrowInUse()) ? 'ONLINE' : 'OFFLINE' } },
      ],
    }),
    probe: async () => {
      await runCommand(`mkfs.${fileSystemType}`, ['-V']).catch((error: Error) => {
        throw new Refusal('FailedPrecondition', `Volumes cannot be made, since ${error.message}: install the package e2fsprogs.`);
      });
      return { ready: { value: true } };
    },
  };
}

/** The kernel lets only processes with CAP_SYS_RESOURCE grow a mounted file system; containers often lack it. */
async function canGrowInUse(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  return mayExceedLimits(status);
}

export function mayExceedLimits(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> 24n) & 1n) === 1n;
}

export function capabilityMethods(nodeId: string) {
  const listed = (types: readonly string[]) => ({ capabilities: types.map((type) => ({ rpc: { type } })) });
  return {
    controllerGetCapabilities: async () => listed(controllerCapabilities),
    nodeGetCapabilities: async () => listed(nodeCapabilities),
    nodeGetInfo: async () => ({ nodeId, maxVolumesPerNode: 0 }),
  };
}
