import { rm } from 'node:fs/promises';
import { nodeLayout } from '../layout.ts';
import { removeControlGroups } from './control-group.ts';
import { removeFirewall } from './firewall.ts';
import { removeBridges } from './link.ts';
import { detachBelow, unmountBelow } from './mount.ts';
import { killPods } from './process.ts';
import { type MachineRecord, readMachineRecord, removeMachineRecord } from './record.ts';
import { restoreSettings } from './sysctl.ts';

/**
 * Puts the machine back to what it was before the node that left this record, however that node ended. The caller holds the machine's lock, and no
 * program of the node runs any more. Volumes, images and logs stay.
 *
 * Guarantees: may be interrupted and repeated. Returns what it did, as sentences; none when there was nothing to do.
 */
export async function cleanMachine(record: MachineRecord): Promise<string[]> {
  const layout = nodeLayout(record.home, record.node);
  const processes = await killPods(layout.containerdSocket);
  const mounts = await unmountBelow([layout.directory, layout.run]);
  const devices = await detachBelow(record.home);
  const firewall = await removeFirewall(record.firewall);
  const bridges = await removeBridges();
  await removeControlGroups();
  const settings = await restoreSettings(record.settings);
  await rm(layout.containerdState, { recursive: true, force: true });
  await removeMachineRecord();
  return [
    ...(processes > 0 ? [`Ended ${counted(processes, 'process', 'processes')} of pods that had outlived their node.`] : []),
    ...(mounts > 0 ? [`Unmounted ${counted(mounts, 'file system', 'file systems')} of pods.`] : []),
    ...(devices > 0 ? [`Freed ${counted(devices, 'loop device', 'loop devices')} of volumes.`] : []),
    ...(firewall > 0 ? [`Removed ${firewall} chains, sets and tables of packet filters.`] : []),
    ...(bridges.length > 0 ? [`Removed the ${bridges.length === 1 ? 'bridge' : 'bridges'} ${bridges.join(', ')}.`] : []),
    ...(settings.length > 0 ? [`Put back the kernel's ${settings.join(', ')}.`] : []),
  ];
}

/** The same for whatever node was here before and did not end in order; nothing when there was none. */
export async function cleanAfterCrash(): Promise<string[]> {
  const record = await readMachineRecord();
  if (record === undefined) return [];
  const done = await cleanMachine(record);
  return done.length === 0 ? [] : [`The last real node (of ${record.home}) did not end in order; cleaning up after it.`, ...done];
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
