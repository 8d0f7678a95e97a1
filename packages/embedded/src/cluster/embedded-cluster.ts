import { Connection, type Credentials } from '@terrain/runtime';
import type { ControlPlane } from '#control-plane/control-plane.ts';
import { EmbeddedError } from '#embedded-error.ts';
import type { HomeLayout } from '#home/layout.ts';
import type { FileLock } from '#process/file-lock.ts';
import { residentBytes } from '#process/process-facts.ts';
import { removeRunningFile } from './running-file.ts';

/** One process of a cluster and what it costs. */
export interface ProcessFact {
  readonly name: string;
  readonly pid: number;
  /** Undefined where the system does not tell. */
  readonly residentBytes: number | undefined;
}

interface Parts {
  readonly layout: HomeLayout;
  readonly lock: FileLock;
  readonly plane: ControlPlane;
  readonly port: number;
}

/**
 * A running cluster with a home.
 *
 * Guarantees: its processes end with this one; `stop` ends them in order and keeps the data; one that ends by itself shows in `failed`.
 */
export class EmbeddedCluster {
  readonly home: string;
  readonly kubeconfig: string;
  readonly port: number;
  readonly credentials: Credentials;
  /** Resolves with the reason when a process ends that should run; never rejects, stays pending in an orderly life. */
  readonly failed: Promise<EmbeddedError>;
  readonly #parts: Parts;
  #connection: Connection | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.home = parts.layout.home;
    this.kubeconfig = parts.layout.kubeconfig;
    this.port = parts.port;
    this.credentials = parts.plane.credentials(parts.port);
    this.failed = new Promise((resolve) => {
      for (const component of parts.plane.processes) {
        void component.exited.then(async (exit) => {
          if (this.#stopping !== undefined) return;
          const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
          const words = await component.lastWords(3);
          resolve(
            new EmbeddedError(
              'ComponentFailed',
              `${component.name} ended ${how}; the last lines of ${component.logFile} are:\n${words}`,
            ),
          );
        });
      }
    });
  }

  /** The administrator's connection, shared; closed by `stop`. */
  connection(): Connection {
    this.#connection ??= new Connection(this.credentials, { userAgent: 'terrain-embedded' });
    return this.#connection;
  }

  processes(): readonly ProcessFact[] {
    return this.#parts.plane.processes.map(({ name, pid }) => ({ name, pid, residentBytes: residentBytes(pid) }));
  }

  /** Ends all processes and frees the home. Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    const { layout, lock, plane } = this.#parts;
    await this.#connection?.close();
    await plane.stop();
    await removeRunningFile(layout);
    lock.release();
  }
}
