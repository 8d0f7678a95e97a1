import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Driver, type DriverOptions } from '#csi/driver.ts';
import { ensureProtocol } from '#csi/protocol/ensure.ts';
import type { SnapshotMessage, VolumeMessage } from '#csi/protocol/messages.ts';
import { loadServices, type Services } from '#csi/protocol/services.ts';
import { CsiClient } from './client.ts';

export const mebibyte = 1024 ** 2;
export const size = 32 * mebibyte;

/** gRPC's numbers, by the names CSI uses. */
export const code = {
  InvalidArgument: 3,
  NotFound: 5,
  AlreadyExists: 6,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
} as const;

export const mountCapability = { mount: {}, accessMode: { mode: 'SINGLE_NODE_WRITER' } };
export const blockCapability = { block: {}, accessMode: { mode: 'SINGLE_NODE_WRITER' } };

let loaded: Promise<Services> | undefined;
export function services(): Promise<Services> {
  loaded ??= ensureProtocol({ binaries: process.env.TERRAIN_BINARIES }).then(loadServices);
  return loaded;
}

/** Short, because sockets lie in it. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'terrain-csi-'));
}

/** A driver in this process and a client of it, both with a directory of their own. */
export class Stand {
  readonly directory: string;
  readonly root: string;
  readonly client: CsiClient;
  readonly #driver: Driver;

  private constructor(directory: string, driver: Driver, client: CsiClient) {
    this.directory = directory;
    this.root = join(directory, 'root');
    this.client = client;
    this.#driver = driver;
  }

  static async open(directory: string, options: Partial<DriverOptions> = {}): Promise<Stand> {
    const socket = join(directory, 'csi.sock');
    const driver = await Driver.start({
      root: join(directory, 'root'),
      socket,
      nodeId: 'node1',
      services: await services(),
      ...options,
    });
    return new Stand(directory, driver, new CsiClient(await services(), socket));
  }

  /** One that ends with the test, and its directory too. `free` undoes what else was done in the directory. */
  static async of(
    t: TestContext,
    options: Partial<DriverOptions> = {},
    free: (directory: string) => Promise<void> = async () => {},
  ): Promise<Stand> {
    const directory = newDirectory();
    const stand = await Stand.open(directory, options);
    t.after(async () => {
      await stand.close();
      await free(directory);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    });
    return stand;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.#driver.stop();
  }

  async createVolume(name: string, more: object = {}): Promise<VolumeMessage> {
    const request = { name, capacityRange: { requiredBytes: size }, volumeCapabilities: [mountCapability], ...more };
    return (await this.client.call<{ volume: VolumeMessage }>('createVolume', request)).volume;
  }

  async createSnapshot(name: string, sourceVolumeId: string): Promise<SnapshotMessage> {
    return (await this.client.call<{ snapshot: SnapshotMessage }>('createSnapshot', { name, sourceVolumeId })).snapshot;
  }

  image(kind: 'volumes' | 'snapshots', id: string): string {
    return join(this.root, kind, id, 'image');
  }

  /** Puts recognizable bytes into a block volume, at its begin and at its end. */
  mark(id: string, text: string): void {
    const path = this.image('volumes', id);
    const bytes = readFileSync(path);
    bytes.write(text, 4096);
    bytes.write(text, bytes.length - 4096);
    writeFileSync(path, bytes);
  }

  /** Everything that exists, and what should not: ids of volumes and snapshots, and names in the work directory. */
  kept(): { volumes: string[]; snapshots: string[]; work: string[] } {
    const list = (folder: string) => readdirSync(join(this.root, folder)).sort();
    return { volumes: list('volumes'), snapshots: list('snapshots'), work: list('work') };
  }
}
