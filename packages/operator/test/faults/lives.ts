/** Operators that live, die and are started again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperator } from '@terrain/operator';
import { silentLogger } from '@terrain/runtime';
import { besides, type FaultPlan, FaultProxy, NodeProcess } from '@terrain/runtime/testing';
import { namespaceOfOperator, operatorCredentials } from '../apiserver/platform.ts';
import type { Stage } from '../apiserver/stage.ts';

/**
 * Plays the operator's process inside this one, each life behind a proxy of its own.
 *
 * Guarantees: from its death on nothing of a life reaches the server, as if the process were gone.
 */
export class PlayedOperator implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #plan: (life: number) => FaultPlan | undefined;
  #proxy: FaultProxy | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #life = 0;
  #isOver = false;

  private constructor(stage: Stage, plan: (life: number) => FaultPlan | undefined) {
    this.#stage = stage;
    this.#plan = plan;
  }

  /** `plan` is asked for every life, counted from 0. */
  static async start(stage: Stage, plan: (life: number) => FaultPlan | undefined = () => undefined): Promise<PlayedOperator> {
    const played = new PlayedOperator(stage, plan);
    await played.#begin();
    return played;
  }

  get proxy(): FaultProxy {
    if (this.#proxy === undefined) throw new Error('the operator was not started');
    return this.#proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#die();
  }

  async #begin(): Promise<void> {
    const plan = this.#plan(this.#life++);
    const proxy = await FaultProxy.start({
      upstream: operatorCredentials(this.#stage.cluster),
      ...(plan === undefined ? {} : { plan }),
      kill: async () => {
        await this.#die();
        if (!this.#isOver) await this.#begin();
      },
    });
    this.#proxy = proxy;
    const stop = new AbortController();
    this.#stop = stop;
    const operator = createOperator({
      credentials: proxy.credentials,
      namespace: namespaceOfOperator,
      hasLeaderElection: false,
      log: silentLogger,
    });
    this.#running = operator.run(stop.signal).catch(() => undefined);
  }

  async #die(): Promise<void> {
    this.#stop.abort(new Error('killed'));
    await Promise.all([this.#proxy?.close(), this.#running]);
  }
}

/** The operator in processes of its own, all behind one proxy. */
export class RealOperator implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #clockShiftMs: number;
  #process: NodeProcess | undefined;
  #kills = 0;

  private constructor(proxy: FaultProxy, directory: string, env: Readonly<Record<string, string>>, clockShiftMs: number) {
    this.proxy = proxy;
    this.#directory = directory;
    this.#env = env;
    this.#clockShiftMs = clockShiftMs;
  }

  static async start(
    stage: Stage,
    options: { readonly plan?: FaultPlan; readonly leaseMs?: number; readonly clockShiftMs?: number } = {},
  ): Promise<RealOperator> {
    const { plan, leaseMs, clockShiftMs = 0 } = options;
    const proxy = await FaultProxy.start({
      upstream: operatorCredentials(stage.cluster),
      ...(plan === undefined ? {} : { plan }),
    });
    const directory = await mkdtemp(join(tmpdir(), 'terrain-operator-'));
    const file = join(directory, 'kubeconfig');
    await writeFile(file, kubeconfigOf(proxy.credentials.server));
    const env = { TERRAIN_KUBECONFIG: file, ...(leaseMs === undefined ? {} : { LEASE_MS: String(leaseMs) }) };
    const real = new RealOperator(proxy, directory, env, clockShiftMs);
    await real.#begin();
    return real;
  }

  get process(): NodeProcess {
    if (this.#process === undefined) throw new Error('the operator was not started');
    return this.#process;
  }

  /** How many of its processes died by a restart. */
  get kills(): number {
    return this.#kills;
  }

  /** Starts it again whenever it ends by itself, until disposed of: on a busy machine a short lease is lost without anybody's doing. */
  keptAlive(): AsyncDisposable {
    let isKept = true;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const keeping = (async () => {
      while (isKept) {
        await Promise.race([this.process.exited, released]);
        if (isKept) await this.#begin();
      }
    })();
    return {
      [Symbol.asyncDispose]: async () => {
        isKept = false;
        release();
        await keeping;
      },
    };
  }

  /** SIGKILL, and a new process. */
  async restart(): Promise<void> {
    await this.process.kill();
    this.#kills++;
    await this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.kill();
    await this.proxy.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    this.#process = await NodeProcess.start({
      script: besides(import.meta.url, './operator-process.ts'),
      env: this.#env,
      ...(this.#clockShiftMs === 0 ? {} : { clockShiftMs: this.#clockShiftMs }),
    });
  }
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'nobody' } }],
    'current-context': 'proxy',
  });
}
