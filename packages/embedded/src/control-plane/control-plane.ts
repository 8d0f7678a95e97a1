import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Credentials } from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import type { Subject } from '#certificate/authority.ts';
import { EmbeddedError } from '#embedded-error.ts';
import { ManagedProcess } from '#process/managed-process.ts';
import { until } from '#process/until.ts';
import { apiServerArguments, controllerManagerArguments, etcdArguments, schedulerArguments } from './arguments.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { administrator, Pki, writePrivate } from './pki.ts';

export interface ControlPlaneOptions {
  /** Where everything of this cluster lives: keys, data, logs, kubeconfig files. */
  readonly directory: string;
  readonly binaries: Binaries;
  readonly throwAway: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Starts and stops the processes of one control plane. Which of them run, and in what order, is the caller's decision. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #processes = new Map<string, ManagedProcess>();
  readonly pki: Pki;
  #onEnd: ((component: ManagedProcess) => void) | undefined;

  private constructor(options: ControlPlaneOptions, pki: Pki) {
    this.#options = options;
    this.pki = pki;
  }

  /** Makes the directories and keys that are missing; starts nothing. */
  static async prepare(options: ControlPlaneOptions): Promise<ControlPlane> {
    const { directory } = options;
    for (const name of ['etcd', 'logs']) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
    // etcd refuses to keep data in a directory that others may read.
    await mkdir(join(directory, 'etcd', 'data'), { recursive: true, mode: 0o700 });
    return new ControlPlane(options, await Pki.open(join(directory, 'pki')));
  }

  get directory(): string {
    return this.#options.directory;
  }

  process(name: string): ManagedProcess | undefined {
    return this.#processes.get(name);
  }

  get processes(): readonly ManagedProcess[] {
    return [...this.#processes.values()];
  }

  credentials(port: number, subject: Subject = administrator): Credentials {
    return { server: `https://127.0.0.1:${port}`, ca: this.pki.authority.pair.cert, ...this.pki.issueClient(subject) };
  }

  startEtcd(): Promise<ManagedProcess> {
    return this.start('etcd', etcdArguments(this.#options), join(this.#options.directory, 'etcd'));
  }

  /** Under another name than usual it is a further one on the same data. */
  startApiServer(port: number, name = 'kube-apiserver'): Promise<ManagedProcess> {
    const { throwAway, directory } = this.#options;
    const args = apiServerArguments({ port, pki: 'pki', etcd: 'unix://etcd/client:1', throwAway });
    return this.start(name, args, directory, 'kube-apiserver');
  }

  async startControllerManager(port: number): Promise<ManagedProcess> {
    const kubeconfig = await this.writeKubeconfig(
      port,
      { commonName: 'system:kube-controller-manager' },
      'pki/controller-manager.kubeconfig',
    );
    return this.start('kube-controller-manager', controllerManagerArguments({ kubeconfig, pki: 'pki' }), this.#options.directory);
  }

  async startScheduler(port: number): Promise<ManagedProcess> {
    const kubeconfig = await this.writeKubeconfig(port, { commonName: 'system:kube-scheduler' }, 'pki/scheduler.kubeconfig');
    return this.start('kube-scheduler', schedulerArguments({ kubeconfig }), this.#options.directory);
  }

  /** Writes a kubeconfig file below the directory and returns its path. */
  async writeKubeconfig(port: number, subject: Subject, file: string): Promise<string> {
    const path = join(this.#options.directory, file);
    await writePrivate(path, kubeconfigText(this.credentials(port, subject), 'terrain'));
    return path;
  }

  /** Waits for `/readyz`; fails at once when etcd or the API server ends instead. */
  async apiServerReady(connection: Connection, port: number, timeoutMs = 120_000): Promise<void> {
    let last = 'no answer yet';
    await until(
      'the API server’s readiness',
      async () => {
        await this.#failIfEnded(port);
        try {
          await connection.request<string>({ method: 'GET', path: '/readyz', timeoutMs: 5000 });
          return true;
        } catch (error) {
          last = (error as Error).message;
          return undefined;
        }
      },
      { timeoutMs, signal: this.#options.signal, missing: () => last },
    );
  }

  /** Does something that needs every process; when one of them ends, the work is aborted and the reason thrown. */
  async whileAllRun<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    let reason: Promise<EmbeddedError> | undefined;
    this.#onEnd = (component) => {
      reason ??= this.#failure(component);
      stop.abort();
    };
    try {
      return await work(signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      throw (await reason) ?? error;
    } finally {
      this.#onEnd = undefined;
    }
  }

  /**
   * Ends everything in the order in which nothing loses what it depends on: clients first, then the API server, etcd last.
   * Whatever does not end by its deadline is killed.
   */
  async stop(): Promise<void> {
    const servers = ['kube-apiserver', 'etcd'];
    await Promise.all(this.processes.filter(({ name }) => !servers.includes(name)).map((client) => client.stop(5000)));
    for (const name of servers) await this.#processes.get(name)?.stop(15_000);
  }

  killAll(): void {
    for (const process of this.#processes.values()) process.kill();
  }

  /** Starts one more program under the same care: its log beside the others, its end with ours. */
  async start(
    name: string,
    args: readonly string[],
    directory = this.#options.directory,
    program = name,
  ): Promise<ManagedProcess> {
    const started = await ManagedProcess.start({
      name,
      program: this.#options.binaries.path(program),
      args,
      directory,
      logFile: join(this.#options.directory, 'logs', `${name}.log`),
      holdsEventLoop: !this.#options.throwAway,
    });
    this.adopt(started);
    return started;
  }

  /** Takes a process into the plane, in the place of the one that had its name before. */
  adopt(started: ManagedProcess): void {
    this.#processes.set(started.name, started);
    void started.exited.then(() => this.#onEnd?.(started));
  }

  async #failIfEnded(port: number): Promise<void> {
    for (const component of this.#processes.values()) {
      if (component.exit === undefined) continue;
      if (/address already in use/.test(await component.lastWords())) {
        throw new EmbeddedError('PortTaken', `Port ${port} on 127.0.0.1 is in use by another program.`);
      }
      throw await this.#failure(component);
    }
  }

  async #failure(component: ManagedProcess): Promise<EmbeddedError> {
    const words = await component.lastWords();
    const sentence = `${component.name} ended instead of becoming ready; the last lines of ${component.logFile} are:\n${words}`;
    return new EmbeddedError('ComponentFailed', sentence);
  }
}
