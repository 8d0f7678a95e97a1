import type { Controller } from '#controller/controller.ts';
import type { ControllerObserver, Outcome } from '#controller/options.ts';
import type { InformerObserver } from '#informer/informer.ts';
import type { Informers } from '#informer/informers.ts';
import type { ApiRequest } from '#transport/api-transport.ts';
import type { TransportObserver } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Durations } from './durations.ts';
import { Counter, Gauge, Registry } from './prom-client.ts';

const passBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const queueBuckets = [0.001, 0.01, 0.1, 1, 10, 100, 1000];

const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** What a controller shows of itself when asked. */
export type MeasuredController = Pick<Controller<KubeObject>, 'name' | 'queue' | 'heldBack'>;

/** What happens dozens of times for each object is counted in numbers of our own and handed to prom-client when somebody looks. */
interface Tallies {
  readonly passes: Map<string, Record<Outcome, number>>;
  /** By method, then by code. */
  readonly requests: Map<string, Map<string, number>>;
}

/**
 * The runtime's metrics, under the names of controller-runtime and client-go, so that existing dashboards work.
 *
 * Guarantees: labels are of bounded size: controllers, kinds, codes, methods; never names of objects.
 * Assumptions: one instance a process.
 */
export class RuntimeMetrics {
  readonly registry: Registry;
  readonly #controllers: MeasuredController[] = [];
  readonly #tallies: Tallies = { passes: new Map(), requests: new Map() };
  readonly #errors;
  readonly #terminalErrors;
  readonly #passSeconds;
  readonly #maxWorkers;
  readonly #retries;
  readonly #waitSeconds;
  readonly #workSeconds;
  readonly #requestSeconds;
  readonly #watchFailures;
  readonly #handlerFailures;
  readonly #isLeader;
  readonly #droppedEvents;

  constructor(registry: Registry = new Registry()) {
    this.registry = registry;
    const registers = [registry];
    const byController = { labelNames: ['controller'] as const, registers };
    const byName = { labelNames: ['name'] as const, registers };
    const byKind = { labelNames: ['kind'] as const, registers };
    this.#showTallies(registers);
    this.#errors = new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Passes that threw, terminal errors included, conflicts not.',
      ...byController,
    });
    this.#terminalErrors = new Counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Passes that threw a TerminalError.',
      ...byController,
    });
    this.#passSeconds = new Durations({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long a pass took.',
      label: 'controller',
      buckets: passBuckets,
      registry,
    });
    this.#maxWorkers = new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Passes that may be under way at once.',
      ...byController,
    });
    this.#retries = new Counter({ name: 'workqueue_retries_total', help: 'Keys added again after a failure.', ...byName });
    this.#waitSeconds = new Durations({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long a key was ready before a worker took it.',
      label: 'name',
      buckets: queueBuckets,
      registry,
    });
    this.#workSeconds = new Durations({
      name: 'workqueue_work_duration_seconds',
      help: 'How long a worker had a key.',
      label: 'name',
      buckets: queueBuckets,
      registry,
    });
    this.#requestSeconds = new Durations({
      name: 'rest_client_request_duration_seconds',
      help: 'Time to the answer, for streams to its beginning.',
      label: 'verb',
      buckets: requestBuckets,
      registry,
    });
    this.#watchFailures = new Counter({
      name: 'terrain_runtime_watch_failures_total',
      help: 'Lists and watches that ended with an error, by kind.',
      ...byKind,
    });
    this.#handlerFailures = new Counter({
      name: 'terrain_runtime_handler_failures_total',
      help: 'Change handlers and index functions that threw, by kind.',
      ...byKind,
    });
    this.#isLeader = new Gauge({
      name: 'leader_election_master_status',
      help: '1 while this process leads.',
      ...byName,
    });
    this.#droppedEvents = new Counter({ name: 'terrain_runtime_events_dropped_total', help: 'Events not sent.', registers });
    this.#measureQueues(registers);
  }

  /** Measures a controller; give the observer to it. */
  controller(name: string, workers: number): ControllerObserver {
    const labels = { controller: name };
    this.#maxWorkers.set(labels, workers);
    const passes: Record<Outcome, number> = { success: 0, requeue_after: 0, error: 0, terminal: 0, conflict: 0 };
    this.#tallies.passes.set(name, passes);
    const passed = this.#passSeconds.of(name);
    const waited = this.#waitSeconds.of(name);
    const worked = this.#workSeconds.of(name);
    return {
      passEnded: (outcome, tookMs) => {
        passes[outcome]++;
        passed.add(tookMs);
        if (outcome === 'error' || outcome === 'terminal') this.#errors.inc(labels);
        if (outcome === 'terminal') this.#terminalErrors.inc(labels);
        if (outcome === 'error' || outcome === 'conflict') this.#retries.inc({ name });
      },
      queue: {
        taken: (ms) => waited.add(ms),
        finished: (ms) => worked.add(ms),
      },
    };
  }

  /** Shows the queue of a controller from now on. */
  watchQueue(controller: MeasuredController): void {
    this.#controllers.push(controller);
  }

  get transport(): TransportObserver {
    return {
      requestEnded: (request, code, tookMs) => {
        const shown = code === undefined ? '<error>' : `${code}`;
        const byCode = this.#tallies.requests.get(request.method) ?? new Map<string, number>();
        this.#tallies.requests.set(request.method, byCode.set(shown, (byCode.get(shown) ?? 0) + 1));
        this.#requestSeconds.of(verbOf(request)).add(tookMs);
      },
    };
  }

  get informers(): InformerObserver {
    return {
      watchFailure: ({ type }) => this.#watchFailures.inc({ kind: kindLabel(type) }),
      handlerFailure: ({ type }) => this.#handlerFailures.inc({ kind: kindLabel(type) }),
    };
  }

  /** Shows how many objects each informer holds. */
  watchInformers(informers: Informers): void {
    const objects: Gauge<'kind'> = new Gauge({
      name: 'terrain_runtime_cached_objects',
      help: 'Objects held in memory, by kind.',
      labelNames: ['kind'] as const,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { type, store } of informers) objects.inc({ kind: kindLabel(type) }, store.size);
      },
    });
  }

  leading(name: string, isLeading: boolean): void {
    this.#isLeader.set({ name }, isLeading ? 1 : 0);
  }

  eventDropped(): void {
    this.#droppedEvents.inc();
  }

  #showTallies(registers: Registry[]): void {
    const { passes, requests } = this.#tallies;
    new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Passes by controller and result: success, requeue_after, error, terminal, conflict.',
      labelNames: ['controller', 'result'] as const,
      registers,
      collect() {
        this.reset();
        for (const [controller, results] of passes)
          for (const [result, count] of Object.entries(results)) this.inc({ controller, result }, count);
      },
    });
    new Counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the API server by code and method; <error> where there was no answer.',
      labelNames: ['code', 'method'] as const,
      registers,
      collect() {
        this.reset();
        for (const [method, codes] of requests) for (const [code, count] of codes) this.inc({ code, method }, count);
      },
    });
  }

  #measureQueues(registers: Registry[]): void {
    const controllers = this.#controllers;
    const gauge = (
      name: string,
      help: string,
      measure: (controller: MeasuredController) => number,
      label: 'name' | 'controller' = 'name',
    ): void => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          for (const controller of controllers) this.set({ [label]: controller.name }, measure(controller));
        },
      });
    };
    new Counter({
      name: 'workqueue_adds_total',
      help: 'Keys added to the queue.',
      labelNames: ['name'] as const,
      registers,
      collect() {
        this.reset();
        for (const { name, queue } of controllers) this.inc({ name }, queue.added);
      },
    });
    gauge('controller_runtime_active_workers', 'Passes under way.', ({ queue }) => queue.unfinishedMs.length, 'controller');
    gauge('workqueue_depth', 'Keys ready to be taken.', ({ queue }) => queue.length);
    gauge('terrain_runtime_delayed_keys', 'Keys that wait for their time.', ({ queue }) => queue.delayed);
    gauge(
      'terrain_runtime_held_back_keys',
      'Keys that wait for the caches to show their own writes.',
      ({ heldBack }) => heldBack,
    );
    gauge('workqueue_unfinished_work_seconds', 'How long the workers have had their keys, added up.', ({ queue }) =>
      queue.unfinishedMs.reduce((sum, ms) => sum + ms / 1000, 0),
    );
    gauge('workqueue_longest_running_processor_seconds', 'How long the slowest worker has had its key.', ({ queue }) =>
      Math.max(0, ...queue.unfinishedMs.map((ms) => ms / 1000)),
    );
  }
}

function kindLabel({ group, plural }: { group: string; plural: string }): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function verbOf({ method, query }: ApiRequest): string {
  return method === 'GET' && query?.watch === true ? 'WATCH' : method;
}
