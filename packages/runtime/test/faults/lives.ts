import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Credentials, Manager, silentLogger } from '@terrain/runtime';
import { besides, type FaultPlan, FaultProxy, NodeProcess, type RequestEntry } from '@terrain/runtime/testing';
import { addMailboxes, type MailServer } from '../example/controller.ts';
import { DirectoryMailServer } from '../example/mail-server.ts';
import { until } from '../until.ts';
import type { Stage } from './scenario.ts';

/** A controller that lives, dies and is started again, behind fault proxies that log all it says. */
export interface Lives extends AsyncDisposable {
  /** Every request of all lives, in order. */
  readonly requests: readonly RequestEntry[];
  /** Requests the plan killed the controller at. */
  readonly deaths: readonly RequestEntry[];
  readonly proxy: FaultProxy;
  /** Rejects when a life ends that nobody ended. */
  readonly unasked: Promise<never>;
  /** Resolves when the controller has its caches. */
  start(): Promise<void>;
  /** SIGKILL, or as if. */
  kill(): Promise<void>;
  /** SIGTERM, or as if. */
  stop(): Promise<void>;
}

export interface PlayedLivesOptions {
  /** One for each life; lives beyond the last have none. */
  readonly plans?: readonly FaultPlan[];
  readonly clock?: Clock;
  /** Default 1, which keeps the order of writes the same in every run. */
  readonly workers?: number;
}

/**
 * Plays the controller's process inside this one.
 *
 * Guarantees: from its death on nothing of a life reaches the server or the mail server, as if the process were gone.
 */
export class PlayedLives implements Lives {
  readonly #stage: Stage;
  readonly #upstream: Credentials;
  readonly #options: PlayedLivesOptions;
  readonly #proxies: FaultProxy[] = [];
  readonly #unasked = newPromise();
  readonly deaths: RequestEntry[] = [];
  #end = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(stage: Stage, upstream: Credentials, options: PlayedLivesOptions = {}) {
    this.#stage = stage;
    this.#upstream = upstream;
    this.#options = options;
  }

  get requests(): readonly RequestEntry[] {
    return this.#proxies.flatMap((proxy) => proxy.log.requests);
  }

  get proxy(): FaultProxy {
    return this.#proxies.at(-1)!;
  }

  get unasked(): Promise<never> {
    return this.#unasked.promise;
  }

  /** With this plan, or the one the options have for this life. */
  async start(plan = this.#options.plans?.[this.#proxies.length]): Promise<void> {
    const { clock, workers = 1 } = this.#options;
    const end = new AbortController();
    this.#end = end;
    const proxy = await FaultProxy.start({
      upstream: this.#upstream,
      ...(plan === undefined ? {} : { plan }),
      kill: async (entry) => {
        this.deaths.push(entry);
        await this.kill();
        await this.start();
      },
    });
    this.#proxies.push(proxy);
    const manager = new Manager({
      name: 'mailboxes',
      credentials: proxy.credentials,
      log: silentLogger,
      ...(clock === undefined ? {} : { clock }),
    });
    addMailboxes(
      manager,
      mortal(new DirectoryMailServer(this.#stage.mail), end.signal),
      { namespace: this.#stage.namespace },
      workers,
    );
    this.#running = manager.run(end.signal);
    this.#running.catch(this.#unasked.reject);
    await hasWatches(proxy, this.unasked);
  }

  async kill(): Promise<void> {
    this.#end.abort(new Error('killed'));
    await Promise.all([this.proxy.close(), this.#running]);
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('stopped'));
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.proxy.close();
  }
}

/** The program of the example in processes of its own, all behind one proxy. */
export class RealLives implements Lives {
  readonly proxy: FaultProxy;
  readonly deaths: RequestEntry[] = [];
  readonly #env: Record<string, string>;
  readonly #directory: string;
  readonly #unasked = newPromise();
  #process: NodeProcess | undefined;
  #isAsked = false;

  private constructor(proxy: FaultProxy, directory: string, env: Record<string, string>) {
    this.proxy = proxy;
    this.#directory = directory;
    this.#env = env;
  }

  static async prepare(
    stage: Stage,
    upstream: Credentials,
    { plan, env = {} }: { plan?: FaultPlan; env?: Record<string, string> } = {},
  ): Promise<RealLives> {
    const directory = await mkdtemp(join(tmpdir(), 'terrain-faults-'));
    const proxy = await FaultProxy.start({
      upstream,
      ...(plan === undefined ? {} : { plan }),
      kill: (entry) => lives.#killedAt(entry),
    });
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(proxy.credentials));
    const lives = new RealLives(proxy, directory, {
      KUBECONFIG: kubeconfig,
      MAIL_DIRECTORY: stage.mail,
      NAMESPACE: stage.namespace,
      ...env,
    });
    return lives;
  }

  get requests(): readonly RequestEntry[] {
    return this.proxy.log.requests;
  }

  get unasked(): Promise<never> {
    return this.#unasked.promise;
  }

  get process(): NodeProcess {
    if (this.#process === undefined) throw new Error('the controller was not started');
    return this.#process;
  }

  async start(): Promise<void> {
    const started = await NodeProcess.start({ script: besides(import.meta.url, '../example/main.ts'), env: this.#env });
    this.#process = started;
    this.#isAsked = false;
    void started.exited.then((end) => {
      if (!this.#isAsked) this.#unasked.reject(new Error(`the controller ended (${JSON.stringify(end)}):\n${started.output}`));
    });
    await hasWatches(this.proxy, this.unasked);
  }

  async kill(): Promise<void> {
    this.#isAsked = true;
    await this.process.kill();
  }

  async stop(): Promise<void> {
    this.#isAsked = true;
    await this.process.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isAsked = true;
    await this.#process?.kill();
    await this.proxy.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #killedAt(entry: RequestEntry): Promise<void> {
    this.deaths.push(entry);
    await this.kill();
    await this.start();
  }
}

function newPromise(): PromiseWithResolvers<never> {
  const made = Promise.withResolvers<never>();
  // Who does not wait for it does not care.
  made.promise.catch(() => undefined);
  return made;
}

/** Two kinds, one watch each. */
async function hasWatches(proxy: FaultProxy, unasked: Promise<never>): Promise<void> {
  await Promise.race([until('watch on both kinds', () => proxy.openWatches() === 2), unasked]);
}

function mortal(server: MailServer, end: AbortSignal): MailServer {
  return {
    ensure: async (id, box, signal) => {
      end.throwIfAborted();
      await server.ensure(id, box, signal);
    },
    remove: async (id, signal) => {
      end.throwIfAborted();
      await server.remove(id, signal);
    },
  };
}

function kubeconfigOf({ server }: Credentials): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'nobody' } }],
    'current-context': 'proxy',
  });
}
