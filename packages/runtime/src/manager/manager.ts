import type { Clock } from '#clock/clock.ts';
import { systemClock } from '#clock/clock.ts';
import { Controller } from '#controller/controller.ts';
import type { ControllerOptions } from '#controller/options.ts';
import { Recorder } from '#events/recorder.ts';
import { HealthServer, type HealthServerOptions } from '#health/health-server.ts';
import type { Informer, InformerObserver } from '#informer/informer.ts';
import { Informers } from '#informer/informers.ts';
import { Elector, type ElectorOptions } from '#leader/elector.ts';
import { fenceWrites } from '#leader/fence.ts';
import { createLogger, type Logger } from '#log/logger.ts';
import { RuntimeMetrics } from '#metrics/runtime-metrics.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import { Connection } from '#transport/connection.ts';
import type { Credentials } from '#transport/credentials.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { classify, WatchSilentError } from '#watch/failure.ts';
import type { Frames } from './frames.ts';
import { Shutdown } from './shutdown.ts';

/** So long a stop waits for the server to take the last events. */
const longestForEventsMs = 3000;

/** What a controller program is called, where it works, and how it is watched over. */
export interface ManagerOptions {
  /** The program's name: its user agent, its field manager, the reporter of its events. */
  readonly name: string;
  readonly credentials: Credentials;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** With it, controllers run only while this process holds the lease. Without it they run at once. */
  readonly election?: Pick<ElectorOptions, 'namespace' | 'name' | 'identity' | 'leaseMs' | 'renewDeadlineMs' | 'retryMs'>;
  /** Where to answer probes and show metrics; absent: nowhere. */
  readonly health?: Pick<HealthServerOptions, 'host' | 'port' | 'mayReadMetrics'>;
  /** How long stopping may take in all. Default 25 s, below the 30 s a pod is given. */
  readonly shutdownMs?: number;
  /** See InformerOptions. */
  readonly freeze?: boolean;
  /** For a program that has its process to itself. Absent: it never rests. */
  readonly frames?: Pick<Frames, 'arrived'>;
}

/** What a controller of a manager leaves to it. */
export type ManagedControllerOptions<T extends KubeObject> = Omit<
  ControllerOptions<T>,
  'informers' | 'api' | 'fieldManager' | 'clock' | 'log' | 'observer'
>;

/**
 * The one place where a controller program is put together, started and stopped.
 *
 * Order of start: probes, informers, their first lists, leadership, controllers. Order of stop: readiness, controllers (their passes are
 * aborted and waited for), events, leadership, informers, probes, sockets.
 * Guarantees: ready only when all caches are complete; followers keep theirs warm; no controller starts before, no write leaves after
 * leadership; the lease is given back only when every controller has stopped, and waits three seconds for events at most; stopping ends by its
 * deadline.
 * Caveats: runs once; a process that lost its leadership ends and begins anew.
 */
export class Manager {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics = new RuntimeMetrics();
  readonly informers: Informers;
  readonly events: Recorder;
  /** For calls of the program's own; writes are refused while another process leads. */
  readonly api: ApiTransport;
  readonly #options: ManagerOptions;
  readonly #connection: Connection;
  /** Of its own, so that a renewal waits behind nobody's requests, and one that follows another that hangs has a new socket. */
  readonly #leaseConnection: Connection | undefined;
  readonly #elector: Elector | undefined;
  readonly #health: HealthServer | undefined;
  readonly #controllers: Controller<KubeObject>[] = [];
  readonly #stopping: (() => void)[] = [];
  #phase: 'new' | 'syncing' | 'following' | 'running' | 'stopping' = 'new';
  #healthPort: number | undefined;

  constructor(options: ManagerOptions) {
    const { name, credentials, election, health, clock = systemClock, freeze, frames } = options;
    this.#options = options;
    this.clock = clock;
    this.log = options.log ?? createLogger();
    const asUs = { userAgent: name, clock, observer: this.metrics.transport };
    this.#connection = new Connection(credentials, { ...asUs, ...(frames === undefined ? {} : { onPiece: frames.arrived }) });
    if (election !== undefined) {
      this.#leaseConnection = new Connection(credentials, { ...asUs, maxSockets: 1 });
      this.#elector = new Elector({ api: this.#leaseConnection, clock, log: this.log, ...election });
    }
    const elector = this.#elector;
    this.api = elector === undefined ? this.#connection : fenceWrites(this.#connection, () => elector.isLeading);
    this.informers = new Informers({
      api: this.#connection,
      clock,
      observer: this.#informerObserver(),
      ...(freeze === undefined ? {} : { freeze }),
    });
    this.metrics.watchInformers(this.informers);
    const instance = elector?.identity ?? `${name}-${process.pid}`;
    this.events = new Recorder({
      api: this.api,
      clock,
      log: this.log,
      reporter: { controller: name, instance },
      onDropped: () => this.metrics.eventDropped(),
    });
    this.#health = health === undefined ? undefined : new HealthServer({ ...health, registry: this.metrics.registry });
    this.#health?.addReadiness('caches', () => this.#unready());
  }

  /** Adds a controller; `run` starts it. */
  controller<T extends KubeObject>(options: ManagedControllerOptions<T>): Controller<T> {
    if (this.#phase !== 'new')
      throw new Error(`the controller ${options.name} was added after the start; add all of them before run()`);
    const { clock, log, informers, api } = this;
    const observer = this.metrics.controller(options.name, options.workers ?? 4);
    const controller = new Controller<T>({ ...options, informers, api, fieldManager: this.#options.name, clock, log, observer });
    this.metrics.watchQueue(controller);
    this.#controllers.push(controller as unknown as Controller<KubeObject>);
    return controller;
  }

  /** Called as soon as it begins to stop, whatever the reason: what passes wait for, and nobody will bring any more, has to be given up then. */
  whenStopping(callback: () => void): void {
    this.#stopping.push(callback);
  }

  /** Where probes are answered, once running. */
  get healthPort(): number | undefined {
    return this.#healthPort;
  }

  /** Works until the signal is aborted, then stops and resolves. Rejects when leadership was lost or something failed. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'new') throw new Error('a manager runs once; make another');
    this.#phase = 'syncing';
    const hold = new AbortController();
    let holding: Promise<void> = Promise.resolve();
    let failure: unknown;
    try {
      this.#healthPort = await this.#health?.listen();
      this.informers.start();
      await this.informers.synced(signal);
      this.#phase = 'following';
      if (this.#elector !== undefined) {
        await this.#elector.acquire(signal);
        this.metrics.leading(this.#options.name, true);
        holding = this.#elector.hold(hold.signal);
      }
      this.#phase = 'running';
      this.informers.addingHandlers(() => {
        for (const controller of this.#controllers) controller.start();
      });
      this.log.info({ controllers: this.#controllers.map(({ name }) => name) }, 'working');
      await Promise.race([aborted(signal), holding.then(() => aborted(signal))]);
    } catch (error) {
      if (!signal.aborted) failure = error;
    }
    await this.#stop(hold, holding).catch((error: unknown) => {
      // The first cause is what people need; the rest followed from it.
      failure ??= error;
    });
    if (failure !== undefined) throw failure;
  }

  async #stop(hold: AbortController, holding: Promise<void>): Promise<void> {
    const { clock, log } = this;
    this.#phase = 'stopping';
    log.info('stopping');
    const shutdown = new Shutdown(clock, log, this.#options.shutdownMs ?? 25_000);
    for (const callback of this.#stopping) callback();
    const stopped = await Promise.all(
      this.#controllers.map((controller) => shutdown.step(`the controller ${controller.name}`, () => controller.close())),
    );
    // Half of what is left at most: whoever waits for the lease needs it more than anybody needs a hint.
    await shutdown.step('the event recorder', () => this.events.close(Math.min(longestForEventsMs, shutdown.leftMs / 2)));
    hold.abort(new Error('stopping'));
    await shutdown.step('the renewal of the lease', () => holding.catch(() => undefined));
    this.metrics.leading(this.#options.name, false);
    // Whoever may still write keeps the others out until the lease has run out by itself.
    if (!stopped.includes(false)) await shutdown.step('the election', async () => this.#elector?.release());
    await shutdown.step('the informers', () => this.informers.close());
    await shutdown.step('the health server', async () => this.#health?.close());
    await shutdown.step('the connection', () => Promise.all([this.#connection.close(), this.#leaseConnection?.close()]));
    shutdown.finish();
  }

  #unready(): string | undefined {
    if (this.#phase === 'stopping') return 'stopping';
    const waiting = [...this.informers].filter(({ hasSynced }) => !hasSynced).map(({ type }) => type.plural);
    if (waiting.length > 0) return `waiting for the first list of ${waiting.join(', ')}`;
    return this.#phase === 'new' ? 'not started' : undefined;
  }

  #informerObserver(): InformerObserver {
    const { log, metrics } = this;
    return {
      watchFailure: (informer, error, retryInMs) => {
        metrics.informers.watchFailure?.(informer, error, retryInMs);
        log[severityOf(informer, error)]({ kind: informer.type.plural, err: error, retryInMs }, 'a watch was interrupted');
      },
      handlerFailure: (informer, error) => {
        metrics.informers.handlerFailure?.(informer, error);
        log.error({ kind: informer.type.plural, err: error }, 'a change handler or an index failed');
      },
      definitionsHidden: (error) =>
        log.warn(
          { err: error },
          'CustomResourceDefinitions cannot be watched: kinds that are installed later are noticed after some minutes; grant list and watch to notice them at once',
        ),
    };
  }
}

/** What is part of normal life is not worth a line each time. */
function severityOf(informer: Informer<KubeObject>, error: Error): 'debug' | 'info' | 'warn' {
  // Servers whose etcd reports no progress send no bookmarks for quiet kinds.
  if (error instanceof WatchSilentError) return 'debug';
  const failure = classify(error);
  if (failure === 'absent') return informer.served === false ? 'debug' : 'info';
  return failure === 'expired' ? 'info' : 'warn';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
