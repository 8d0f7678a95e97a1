import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailServer } from './controller.ts';

/** A mail server that is a directory with one file for each mailbox: outside the cluster, and still there when the controller is not. */
export class DirectoryMailServer implements MailServer {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async ensure(id: string, box: { address: string; quotaMiB: number }): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const unfinished = join(this.#directory, `.${id}.${process.pid}`);
    await writeFile(unfinished, `${JSON.stringify(box)}\n`);
    await rename(unfinished, join(this.#directory, id));
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#directory, id), { force: true });
  }
}
