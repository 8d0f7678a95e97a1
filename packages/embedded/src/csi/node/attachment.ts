import { existsSync } from 'node:fs';
import type { Volume } from '../store/store.ts';
import { type Host, type LoopDevice, mountsOf } from './host.ts';
import type { Mount } from './mount-table.ts';

/** How a volume is connected to this machine just now. Read from the kernel each time, since others may unmount as well. */
export interface Attachment {
  /** More than one only after a crash between looking and attaching. */
  readonly devices: readonly LoopDevice[];
  readonly mounts: readonly Mount[];
  /** All mounts of the machine, for questions about a path. */
  readonly allMounts: readonly Mount[];
}

export async function attachmentOf(host: Host, volume: Pick<Volume, 'image'>): Promise<Attachment> {
  const devices = (await host.loopDevices()).filter(({ image }) => image === volume.image);
  const allMounts = await host.mounts();
  return { devices, mounts: devices.flatMap((device) => mountsOf(device, allMounts)), allMounts };
}

/** Whether what is visible at a path is this volume. */
export function isShownAt({ mounts }: Attachment, mount: Mount | undefined): boolean {
  return mount !== undefined && mounts.includes(mount);
}

/** After a crash: lets stopped writers go on, and frees devices whose image is gone. */
export async function healAttachments(host: Host, root: string): Promise<void> {
  const [devices, mounts] = await Promise.all([host.loopDevices(), host.mounts()]);
  for (const device of devices.filter(({ image }) => image.startsWith(`${root}/`))) {
    const fileSystem = mounts.find(({ device: number }) => number === device.number);
    if (fileSystem !== undefined) await host.thaw(fileSystem.path);
    // The kernel marks the name of a deleted file, so that no file has it.
    else if (!existsSync(device.image)) await host.detach(device);
  }
}
