import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Connection, type Credentials, isAlreadyExists } from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import { ControlPlane } from '#control-plane/control-plane.ts';
import { administrator } from '#control-plane/pki.ts';
import { isEmbeddedError } from '#embedded-error.ts';
import type { ManagedProcess } from '#process/managed-process.ts';
import { freePort } from '#process/port.ts';
import { Supervisor } from '#process/supervisor.ts';

export interface TestClusterOptions {
  /** Also run the controller-manager: garbage collection, namespace deletion, service accounts. Default false. */
  readonly controllerManager?: boolean;
  /** Also run the scheduler. Default false. */
  readonly scheduler?: boolean;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A throw-away cluster: real etcd and API server, on a free port, in a directory of its own. */
export class TestCluster {
  readonly directory: string;
  readonly kubeconfig: string;
  readonly credentials: Credentials;
  readonly port: number;
  readonly #plane: ControlPlane;
  readonly #binaries: Binaries;
  readonly #connections: Connection[] = [];
  readonly #supervisor = new Supervisor();
  #connection: Connection | undefined;
  #controllerManager: Promise<void> | undefined;
  #scheduler: Promise<void> | undefined;

  private constructor(plane: ControlPlane, options: { directory: string; binaries: Binaries; port: number; kubeconfig: string }) {
    this.#plane = plane;
    this.#binaries = options.binaries;
    this.directory = options.directory;
    this.port = options.port;
    this.kubeconfig = options.kubeconfig;
    this.credentials = plane.credentials(options.port);
  }

  static async start(directory: string, binaries: Binaries, onPlane: (plane: ControlPlane) => void): Promise<TestCluster> {
    const plane = await ControlPlane.prepare({ directory, binaries, throwAway: true });
    onPlane(plane);
    await plane.startEtcd();
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      await plane.startApiServer(port);
      const kubeconfig = await plane.writeKubeconfig(port, administrator, 'kubeconfig');
      const cluster = new TestCluster(plane, { directory, binaries, port, kubeconfig });
      try {
        await plane.apiServerReady(cluster.connection(), port);
        return cluster;
      } catch (error) {
        await cluster.#closeConnections();
        if (!isEmbeddedError(error, 'PortTaken') || attempt === 5) throw error;
      }
    }
  }

  /** The processes of this cluster. */
  get pids(): readonly number[] {
    return this.#plane.processes.map((process) => process.pid);
  }

  /** The shared connection of the administrator; closed with the cluster. */
  connection(): Connection {
    this.#connection ??= this.#connect(this.credentials);
    return this.#connection;
  }

  /** A connection of somebody else, with a client certificate in that name; closed with the cluster. */
  connectionAs(user: string, groups: readonly string[] = []): Connection {
    return this.#connect(this.credentialsOf(user, groups));
  }

  credentialsOf(user: string, groups: readonly string[] = []): Credentials {
    return this.#plane.credentials(this.port, { commonName: user, organizations: groups });
  }

  /** Runs kubectl as the administrator. A non-zero code is an answer, not an error. */
  kubectl(...args: readonly string[]): Promise<CommandResult> {
    return this.kubectlWithInput(undefined, ...args);
  }

  /** Runs kubectl with text on its standard input, as in `kubectl apply -f -`. */
  kubectlWithInput(input: string | undefined, ...args: readonly string[]): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        this.#binaries.path('kubectl'),
        ['--kubeconfig', this.kubeconfig, ...args],
        { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, KUBECACHEDIR: join(this.directory, 'kubectl-cache') } },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number') reject(error);
          else resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
        },
      );
      child.stdin?.end(input ?? '');
    });
  }

  /** A fresh namespace with its default service account, so that pods are admitted even with no controller-manager. */
  async namespace(prefix = 'test'): Promise<string> {
    const name = `${prefix}-${randomBytes(4).toString('hex')}`;
    const connection = this.connection();
    await connection.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    try {
      await connection.request({
        method: 'POST',
        path: `/api/v1/namespaces/${name}/serviceaccounts`,
        body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    return name;
  }

  /** Ends the API server (by default as a crash would) and starts it again on the same port and data. */
  async restartApiServer(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.stopApiServer(signal);
    await this.startApiServer();
  }

  async stopApiServer(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const running = this.#plane.process('kube-apiserver');
    running?.signal(signal);
    await running?.waitForExit();
  }

  async startApiServer(): Promise<void> {
    await this.#plane.startApiServer(this.port);
    await this.#plane.apiServerReady(this.connection(), this.port);
  }

  /** The administrator's connection through an API server of its own, which lives on when the other one is restarted; closed with the cluster. */
  async connectionApart(): Promise<Connection> {
    const port = await freePort();
    await this.#plane.startApiServer(port, 'kube-apiserver-apart');
    const connection = this.#connect(this.#plane.credentials(port));
    await this.#plane.apiServerReady(connection, port);
    return connection;
  }

  /** Starts what the options ask for and does not run yet. Callers at the same time share one start. */
  async ensure(options: TestClusterOptions): Promise<void> {
    if (options.controllerManager) this.#controllerManager ??= this.#keep(this.#plane.startControllerManager(this.port));
    if (options.scheduler) this.#scheduler ??= this.#keep(this.#plane.startScheduler(this.port));
    await Promise.all([this.#controllerManager, this.#scheduler]);
  }

  async #keep(starting: Promise<ManagedProcess>): Promise<void> {
    this.#supervisor.watch(await starting, (successor) => this.#plane.adopt(successor));
  }

  /** Ends all processes at once; the data is thrown away anyway. */
  async stop(): Promise<void> {
    await this.#supervisor.stop();
    await this.#closeConnections();
    this.#plane.killAll();
    await Promise.all(this.#plane.processes.map((process) => process.waitForExit()));
  }

  #connect(credentials: Credentials): Connection {
    const connection = new Connection(credentials, { userAgent: 'terrain-test' });
    this.#connections.push(connection);
    return connection;
  }

  async #closeConnections(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()));
    this.#connection = undefined;
  }
}
