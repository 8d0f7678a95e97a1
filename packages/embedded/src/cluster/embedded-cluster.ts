import { join } from 'node:path';
import { Connection, type Credentials } from '@terrain/runtime';
import type { ControlPlane } from '#control-plane/control-plane.ts';
import type { EmbeddedError } from '#embedded-error.ts';
import type { HomeLayout } from '#home/layout.ts';
import { rotateLog } from '#home/logs.ts';
import type { FileLock } from '#process/file-lock.ts';
import { ManagedProcess } from '#process/managed-process.ts';
import { residentBytes } from '#process/process-facts.ts';
import { Supervisor } from '#process/supervisor.ts';
import { companionEnvironment } from './companion-environment.ts';
import { removeRunningFile, updateRunningFile } from './running-file.ts';

/** One process of a cluster and what it costs. */
export interface ProcessFact {
  readonly name: string;
  readonly pid: number;
  /** Undefined where the system does not tell. */
  readonly residentBytes: number | undefined;
}

/** A program that runs beside the control plane. */
export interface Companion {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Who it is to the API server. */
  readonly user: string;
  readonly groups?: readonly string[];
}

/** Something with processes of its own that must end, in its own order, before the rest of the cluster does. */
export interface ClusterPart {
  processes(): readonly ManagedProcess[];
  stop(): Promise<void>;
  /** Resolves with the reason when one of its processes cannot be kept running. */
  readonly failed: Promise<EmbeddedError>;
}

/** Companions hold no data; one that does not end in this time is killed. */
const companionDeadlineMs = 10_000;

interface Parts {
  readonly layout: HomeLayout;
  readonly lock: FileLock;
  readonly plane: ControlPlane;
  readonly port: number;
  readonly onRestart?: (sentence: string) => void;
}

/**
 * A running cluster with a home.
 *
 * Guarantees: its processes end with this one; `stop` ends them in order and keeps the data; one that ends by itself is started again, and one that
 * keeps ending shows in `failed`.
 */
export class EmbeddedCluster {
  readonly home: string;
  readonly kubeconfig: string;
  readonly port: number;
  readonly credentials: Credentials;
  /** Resolves with the reason when a process cannot be kept running; never rejects, stays pending in an orderly life. */
  readonly failed: Promise<EmbeddedError>;
  readonly #parts: Parts;
  readonly #companions = new Map<string, ManagedProcess>();
  readonly #attached: ClusterPart[] = [];
  readonly #supervisor: Supervisor;
  readonly #fail: (reason: EmbeddedError) => void;
  #recorded: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.home = parts.layout.home;
    this.kubeconfig = parts.layout.kubeconfig;
    this.port = parts.port;
    this.credentials = parts.plane.credentials(parts.port);
    this.#supervisor = new Supervisor(parts);
    const failure = Promise.withResolvers<EmbeddedError>();
    this.failed = failure.promise;
    this.#fail = failure.resolve;
    void this.#supervisor.failed.then(this.#fail);
    for (const component of parts.plane.processes) {
      this.#supervisor.watch(component, (successor) => {
        parts.plane.adopt(successor);
        void this.#record();
      });
    }
  }

  /** The administrator's connection, shared; closed by `stop`. */
  connection(): Connection {
    this.#connection ??= new Connection(this.credentials, { userAgent: 'terrain-embedded' });
    return this.#connection;
  }

  processes(): readonly ProcessFact[] {
    return this.#all().map(({ name, pid }) => ({ name, pid, residentBytes: residentBytes(pid) }));
  }

  /**
   * Starts a program that belongs to this cluster and talks to it under a name of its own.
   *
   * Guarantees: it is listed and watched like the control plane, stopped before it, and never outlives it. Its `$KUBECONFIG` is that
   * user's, and nothing else in its environment names a cluster.
   */
  async startCompanion({ name, program, args, user, groups = [] }: Companion): Promise<ManagedProcess> {
    const { layout, plane, port } = this.#parts;
    const kubeconfig = await plane.writeKubeconfig(port, { commonName: user, organizations: groups }, `pki/${name}.kubeconfig`);
    const logFile = join(layout.logs, `${name}.log`);
    await rotateLog(logFile);
    const companion = await ManagedProcess.start({
      name,
      program,
      args,
      directory: layout.home,
      logFile,
      env: companionEnvironment(process.env, kubeconfig),
      holdsEventLoop: true,
    });
    this.#companions.set(name, companion);
    this.#supervisor.watch(companion, (successor) => {
      this.#companions.set(name, successor);
      void this.#record();
    });
    await this.#record();
    return companion;
  }

  /** Makes a part one with this cluster: listed with it, stopped before it, and a failure of it is one of the cluster. */
  async attach(part: ClusterPart): Promise<void> {
    this.#attached.push(part);
    void part.failed.then(this.#fail);
    await this.#record();
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
    await this.#supervisor.stop();
    // What a part could not do must not keep the rest running.
    const failures: unknown[] = [];
    for (const part of this.#attached.toReversed()) await part.stop().catch((error: unknown) => failures.push(error));
    await Promise.all([...this.#companions.values()].map((companion) => companion.stop(companionDeadlineMs)));
    await this.#connection?.close();
    await plane.stop();
    await removeRunningFile(layout);
    lock.release();
    if (failures.length > 0) throw failures[0];
  }

  #all(): readonly ManagedProcess[] {
    const attached = this.#attached.flatMap((part) => part.processes());
    return [...this.#parts.plane.processes, ...attached, ...this.#companions.values()];
  }

  /** One write after the other, each of all there is then: companions may be started at the same time. */
  #record(): Promise<void> {
    this.#recorded = this.#recorded.then(() =>
      updateRunningFile(this.#parts.layout, { processes: this.#all().map(({ name, pid }) => ({ name, pid })) }),
    );
    return this.#recorded;
  }
}
