import { runCommand } from '#csi/command.ts';
import { until } from '#process/until.ts';
import { readImageIndex } from './oci/image.ts';

/** The namespace in which containerd keeps what belongs to Kubernetes. */
const namespace = 'k8s.io';

/** containerd through its own command-line program. */
export class Containerd {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async ready(signal: AbortSignal | undefined, missing: () => string): Promise<void> {
    const ask = () =>
      this.#ctr('version').then(
        () => true,
        () => undefined,
      );
    await until('the start of containerd', ask, { timeoutMs: 60_000, everyMs: 100, signal, missing });
  }

  /** Makes the image in an archive known; nothing is done when it is the one that is there. */
  async importImage(archive: string): Promise<void> {
    const { name, digest } = await readImageIndex(archive);
    const listed = await this.#ctr('images', 'list', `name==${name}`);
    if (listed.includes(`${name} `) && listed.includes(digest)) return;
    await this.#ctr('images', 'import', archive);
  }

  #ctr(...args: readonly string[]): Promise<string> {
    return runCommand('ctr', ['--address', this.#socket, '--namespace', namespace, ...args]);
  }
}
