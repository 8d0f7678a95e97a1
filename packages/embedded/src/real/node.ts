import { join } from 'node:path';
import type { ClusterPart } from '#cluster/embedded-cluster.ts';
import type { EmbeddedError } from '#embedded-error.ts';
import { rotateLog } from '#home/logs.ts';
import type { FileLock } from '#process/file-lock.ts';
import { ManagedProcess } from '#process/managed-process.ts';
import { Supervisor } from '#process/supervisor.ts';
import { Containerd } from './containerd.ts';
import { stopAllPods } from './cri.ts';
import type { NodeLayout } from './layout.ts';
import { cleanMachine } from './machine/clean.ts';
import type { MachineRecord } from './machine/record.ts';
import { nodeNetwork } from './network.ts';
import { writeStandInImage } from './oci/standard-images.ts';
import { busyboxProgram, cniPluginDirectory } from './packages.ts';
import type { Relay } from './relay.ts';

interface Parts {
  readonly layout: NodeLayout;
  readonly lock: FileLock;
  readonly record: MachineRecord;
  readonly onRestart: (sentence: string) => void;
}

const deadlineMs = 10_000;

/**
 * A real node: containers that run, on this machine.
 *
 * Guarantees: programs that end by themselves are started again; `stop` ends pods, then kubelet, then containerd, and leaves the machine as it was,
 * with the data of volumes kept. Pods stay in the API, and a later start runs them again.
 */
export class RealNode implements ClusterPart {
  readonly name: string;
  /** The address of the node inside the cluster: on the bridge of the pods. */
  readonly address = nodeNetwork.address;
  /** kubelet's root directory. */
  readonly kubelet: string;
  readonly failed: Promise<EmbeddedError>;
  readonly containerd: Containerd;
  readonly #parts: Parts;
  readonly #supervisor: Supervisor;
  readonly #processes = new Map<string, ManagedProcess>();
  #relay: Relay | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.name = parts.layout.name;
    this.kubelet = parts.layout.kubelet;
    this.containerd = new Containerd(parts.layout.containerdSocket);
    this.#supervisor = new Supervisor(parts);
    this.failed = this.#supervisor.failed;
  }

  processes(): readonly ManagedProcess[] {
    return [...this.#processes.values()];
  }

  /** Makes the image in an archive available to pods under its name. */
  importImage(archive: string): Promise<void> {
    return this.containerd.importImage(archive);
  }

  /** Makes images that stand in for those that cannot be had, under their names. */
  async standIn(names: readonly string[]): Promise<void> {
    for (const name of names) await this.importImage(await writeStandInImage(this.#parts.layout.images, busyboxProgram, name));
  }

  /** Starts one of the node's programs and keeps it running. */
  async run(name: string, program: string, args: readonly string[]): Promise<ManagedProcess> {
    const { layout } = this.#parts;
    const logFile = join(layout.logs, `${name}.log`);
    await rotateLog(logFile);
    const env = {
      ...process.env,
      PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`,
      TERRAIN_RUN: layout.run,
      TERRAIN_CNI_PLUGINS: cniPluginDirectory,
    };
    const started = await ManagedProcess.start({
      name,
      program,
      args,
      directory: layout.directory,
      logFile,
      env,
      holdsEventLoop: true,
    });
    this.#processes.set(name, started);
    this.#supervisor.watch(started, (successor) => this.#processes.set(name, successor));
    return started;
  }

  keep(relay: Relay): void {
    this.#relay = relay;
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    const { layout, lock, record } = this.#parts;
    await this.#supervisor.stop();
    const kubelet = this.#processes.get('kubelet');
    // Held still rather than ended: it would start again what is stopped, and pods must not be without a kubelet.
    kubelet?.signal('SIGSTOP');
    // A containerd that does not answer cannot stop them; the clean-up below can.
    await stopAllPods(layout.containerdSocket).catch(() => 0);
    kubelet?.kill();
    await kubelet?.waitForExit();
    const rest = this.processes().filter(({ name }) => name !== 'kubelet' && name !== 'containerd');
    await Promise.all(rest.map((program) => program.stop(deadlineMs)));
    await this.#processes.get('containerd')?.stop(deadlineMs);
    await this.#relay?.stop();
    try {
      await cleanMachine(record);
    } finally {
      // What could not be cleaned up is still on record, and tried again by the next start.
      lock.release();
    }
  }
}
