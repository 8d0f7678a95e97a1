import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileLock } from '#process/file-lock.ts';
import { Busy } from './busy.ts';
import { healAttachments } from './node/attachment.ts';
import { type Host, realHost } from './node/host.ts';
import type { Services } from './protocol/services.ts';
import type { Refusal } from './refusal.ts';
import { SocketServer } from './server.ts';
import { volumeMethods } from './service/controller.ts';
import { capabilityMethods, identityMethods } from './service/identity.ts';
import { nodeMethods } from './service/node.ts';
import { registrationMethods } from './service/registration.ts';
import { snapshotMethods } from './service/snapshot.ts';
import { type Disk, realDisk } from './store/disk.ts';
import { Store } from './store/store.ts';

export interface DriverOptions {
  /** The directory for volumes and snapshots. */
  readonly root: string;
  /** Where calls are answered. */
  readonly socket: string;
  /** In kubelet's directory of plugin sockets; none when there is no kubelet. */
  readonly registrationSocket?: string | undefined;
  readonly nodeId: string;
  readonly services: Services;
  /** Told of every call that is refused, and of what kubelet says. */
  readonly onWord?: ((sentence: string) => void) | undefined;
  readonly disk?: Disk | undefined;
  readonly host?: Host | undefined;
}

/**
 * Volumes, snapshots and clones on the disk of one node.
 *
 * Guarantees: every call may be repeated; killed at any point and started again, it has each object whole or not at all and keeps
 * nothing that no object owns; a volume never holds more than its size.
 * Caveats: sizes are limits, not reservations, and one disk holds all: it can fill up before the volumes do.
 */
export class Driver {
  readonly #lock: FileLock;
  readonly #servers: readonly SocketServer[];

  private constructor(lock: FileLock, servers: readonly SocketServer[]) {
    this.#lock = lock;
    this.#servers = servers;
  }

  static async start(options: DriverOptions): Promise<Driver> {
    const { socket, registrationSocket, nodeId, services } = options;
    const { disk = realDisk, host = realHost, onWord = () => {} } = options;
    await mkdir(options.root, { recursive: true, mode: 0o700 });
    // The kernel names the file behind a loop device by its true path.
    const root = await realpath(options.root);
    const lock = FileLock.tryAcquire(join(root, 'lock'));
    if (!(lock instanceof FileLock)) {
      throw new Error(`Process ${lock.pid} already keeps volumes in ${root}: stop it, or use another directory.`);
    }
    const servers: SocketServer[] = [];
    try {
      const store = await Store.open(root, disk);
      await healAttachments(host, root);
      const parts = { store, host, busy: new Busy() };
      const { controllerGetCapabilities, ...nodeFacts } = capabilityMethods(nodeId);
      const onRefusal = (method: string, { code, message }: Refusal) => onWord(`${method} ${code}: ${message}`);
      await mkdir(dirname(socket), { recursive: true });
      servers.push(
        await SocketServer.listen({
          socket,
          onRefusal,
          services: [
            { service: services.Identity, methods: identityMethods() },
            {
              service: services.Controller,
              methods: { ...volumeMethods(parts), ...snapshotMethods(parts), controllerGetCapabilities },
            },
            { service: services.Node, methods: { ...nodeMethods(parts), ...nodeFacts } },
          ],
        }),
      );
      if (registrationSocket !== undefined) {
        const methods = registrationMethods(socket, onWord);
        await mkdir(dirname(registrationSocket), { recursive: true });
        servers.push(
          await SocketServer.listen({
            socket: registrationSocket,
            onRefusal,
            services: [{ service: services.Registration, methods }],
          }),
        );
      }
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      lock.release();
      throw error;
    }
    return new Driver(lock, servers);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    this.#lock.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
