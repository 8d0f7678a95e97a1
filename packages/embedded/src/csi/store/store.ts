import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isIdentifier, type ObjectKind } from '../volume/identifier.ts';
import { parseRecord, recordText, type SnapshotRecord, type VolumeRecord } from '../volume/record.ts';
import type { Disk } from './disk.ts';

/** Something that is kept: what was written about it, and its content. */
export type Kept<Record> = Record & {
  readonly id: string;
  readonly sizeBytes: number;
  /** The file with the content. */
  readonly image: string;
};

export type Volume = Kept<VolumeRecord>;
export type Snapshot = Kept<SnapshotRecord>;

/** What a new image begins with. */
export interface Content {
  readonly image: string;
  /** Where the file system in it is mounted just now. */
  readonly frozenAt?: string | undefined;
}

const folders = { volume: 'volumes', snapshot: 'snapshots' } as const;
const recordFile = 'record.json';
const imageFile = 'image';

/**
 * Volumes and snapshots as directories of two files.
 *
 * Guarantees: an object is there completely or not at all, since its directory is made in `work` and moved into place in one step,
 * and moved out of place before it is removed; nothing is remembered, so a restart forgets nothing.
 * Assumptions: one process at a time, and callers that keep two changes of the same object apart.
 */
export class Store {
  readonly root: string;
  readonly #disk: Disk;

  private constructor(root: string, disk: Disk) {
    this.root = root;
    this.#disk = disk;
  }

  /** Opens what is kept below `root` and removes what an earlier process left half done. */
  static async open(root: string, disk: Disk): Promise<Store> {
    for (const folder of [...Object.values(folders), 'work']) await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(root, 'work'))) await disk.remove(join(root, 'work', name));
    return new Store(root, disk);
  }

  volumes(): Promise<Volume[]> {
    return this.#all<VolumeRecord>('volume');
  }

  snapshots(): Promise<Snapshot[]> {
    return this.#all<SnapshotRecord>('snapshot');
  }

  volume(id: string): Promise<Volume | undefined> {
    return this.#one<VolumeRecord>('volume', id);
  }

  snapshot(id: string): Promise<Snapshot | undefined> {
    return this.#one<SnapshotRecord>('snapshot', id);
  }

  createVolume(id: string, record: VolumeRecord, sizeBytes: number, content: Content | undefined): Promise<Volume> {
    return this.#create('volume', id, record, async (image) => {
      if (content === undefined) {
        await this.#disk.makeImage(image, sizeBytes);
        if (record.mode === 'filesystem') await this.#disk.format(image);
      } else {
        await this.#disk.copyImage(content.image, image, content.frozenAt);
        await this.#disk.growImage(image, sizeBytes);
      }
    });
  }

  createSnapshot(id: string, record: SnapshotRecord, content: Content): Promise<Snapshot> {
    return this.#create('snapshot', id, record, (image) => this.#disk.copyImage(content.image, image, content.frozenAt));
  }

  async growVolume(volume: Volume, sizeBytes: number): Promise<void> {
    await this.#disk.growImage(volume.image, sizeBytes);
  }

  async delete(kind: ObjectKind, id: string): Promise<void> {
    const aside = this.#workPlace(id);
    await this.#disk.move(this.#place(kind, id), aside);
    await this.#disk.remove(aside);
  }

  /** Free and whole size of the disk that holds the volumes. */
  async capacity(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    const { bavail, blocks, bsize } = await statfs(this.root);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  async #create<Record extends VolumeRecord | SnapshotRecord>(
    kind: ObjectKind,
    id: string,
    record: Record,
    fill: (image: string) => Promise<void>,
  ): Promise<Kept<Record>> {
    const workshop = this.#workPlace(id);
    await this.#disk.makeDirectory(workshop);
    try {
      await fill(join(workshop, imageFile));
      await this.#disk.writeFile(join(workshop, recordFile), recordText(record));
      await this.#disk.move(workshop, this.#place(kind, id));
    } catch (error) {
      await this.#disk.remove(workshop);
      throw error;
    }
    return (await this.#one<Record>(kind, id))!;
  }

  async #all<Record extends VolumeRecord | SnapshotRecord>(kind: ObjectKind): Promise<Kept<Record>[]> {
    const names = await readdir(join(this.root, folders[kind]));
    const found = await Promise.all(names.map((name) => this.#one<Record>(kind, name)));
    // One that was deleted since the names were read is simply not there.
    return found.filter((kept) => kept !== undefined);
  }

  async #one<Record extends VolumeRecord | SnapshotRecord>(kind: ObjectKind, id: string): Promise<Kept<Record> | undefined> {
    if (!isIdentifier(kind, id)) return undefined;
    const path = join(this.#place(kind, id), recordFile);
    const image = join(this.#place(kind, id), imageFile);
    try {
      const record = parseRecord<Record>(await readFile(path, 'utf8'), path);
      return { ...record, id, image, sizeBytes: (await stat(image)).size };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #place(kind: ObjectKind, id: string): string {
    return join(this.root, folders[kind], id);
  }

  #workPlace(id: string): string {
    return join(this.root, 'work', `${id}.${randomBytes(4).toString('hex')}`);
  }
}
