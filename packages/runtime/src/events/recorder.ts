import type { Clock } from '#clock/clock.ts';
import { microTime } from '#clock/micro-time.ts';
import type { Logger } from '#log/logger.ts';
import { isNotFound } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource } from '#transport/resource.ts';
import { BoundedMap } from './bounded-map.ts';
import { type EventObject, eventFor, events, type Happening, happeningKey, type Reporter } from './event.ts';
import { TokenBucket } from './token-bucket.ts';

/** What a Recorder sends through and signs with. */
export interface RecorderOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly reporter: Reporter;
  /** Told how many events were not sent because an object had too many. */
  readonly onDropped?: () => void;
}

/** The same happening within this time is counted on the first Event instead of making another. */
const seriesMs = 10 * 60_000;
/** A count is written at most this often. */
const countEveryMs = 60_000;
const burst = 25;
const refillMs = 5 * 60_000;
const capacity = 4096;
const longestQueue = 1000;
/** Requests on their way at a time: enough that a crowd is told, and a quarter of the sockets there are, so that reconciles have theirs. */
const laneCount = 8;
/** Nobody looks at the answers. */
const call = { timeoutMs: 10_000, withoutManagedFields: true } as const;

interface Series {
  readonly event: EventObject;
  /** Where its requests wait for each other, so that a count never overtakes its Event. */
  readonly lane: number;
  startedAt: number;
  count: number;
  /** As the server knows it. */
  sent: number;
  cancel: (() => void) | undefined;
}

/**
 * Tells people what happened, as Events of events.k8s.io/v1.
 *
 * Guarantees: never throws and never holds up a reconcile; the same happening is one Event with a count, written at most once a minute; an object
 * gets 25 Events at once and one more every five minutes.
 * Caveats: Events are hints. They are dropped when the server refuses them, when too many wait, and when the process dies.
 */
export class Recorder implements AsyncDisposable {
  readonly #options: RecorderOptions;
  readonly #resource: Resource<EventObject>;
  readonly #series = new BoundedMap<string, Series>(capacity);
  readonly #buckets = new BoundedMap<string, TokenBucket>(capacity);
  readonly #lanes = Array.from({ length: laneCount }, () => Promise.resolve());
  #events = 0;
  #waiting = 0;
  #isClosed = false;
  /** Nothing more is sent, whatever waits. */
  #isOver = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#resource = new Resource<EventObject>(options.api, events);
  }

  /** Notes that something happened to an object. */
  record(object: KubeObject, happening: Happening): void {
    if (this.#isClosed) return;
    const { clock, reporter } = this.#options;
    const key = happeningKey(object, happening);
    const now = clock.monotonic();
    const series = this.#series.get(key);
    if (series !== undefined && now - series.startedAt < seriesMs) {
      series.count++;
      series.cancel ??= clock.setTimeout(() => this.#flush(series), countEveryMs);
      return;
    }
    if (series !== undefined) this.#flush(series);
    if (!this.#allows(object)) {
      this.#options.onDropped?.();
      return;
    }
    const suffix = Math.trunc(Math.random() * 2 ** 48).toString(16);
    const event = eventFor(object, happening, reporter, clock.now(), suffix);
    const lane = this.#events++ % laneCount;
    const forgotten = this.#series.set(key, { event, lane, startedAt: now, count: 1, sent: 1, cancel: undefined });
    if (forgotten !== undefined) this.#flush(forgotten);
    this.#send(lane, () => this.#resource.create(event, call));
  }

  /**
   * Sends what waits, counts included, and takes nothing more. What waits still after `withinMs` is dropped; requests on their way then are left to
   * their own end.
   */
  async close(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { clock, log } = this.#options;
    this.#isClosed = true;
    for (const series of this.#series.values()) this.#flush(series);
    const late = Promise.withResolvers<void>();
    const cancel = clock.setTimeout(late.resolve, withinMs);
    await Promise.race([Promise.all(this.#lanes), late.promise]);
    cancel();
    this.#isOver = true;
    if (this.#waiting > 0) log.warn({ events: this.#waiting }, 'events may be lost: the server did not take them in time');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #allows(object: KubeObject): boolean {
    const id = object.metadata.uid ?? '';
    let bucket = this.#buckets.get(id);
    if (bucket === undefined) {
      bucket = new TokenBucket(this.#options.clock, burst, refillMs);
      this.#buckets.set(id, bucket);
    }
    return bucket.take();
  }

  #flush(series: Series): void {
    series.cancel?.();
    series.cancel = undefined;
    if (series.count === series.sent) return;
    series.sent = series.count;
    const { name = '', namespace } = series.event.metadata;
    const lastObservedTime = microTime(this.#options.clock.now());
    const patch = { series: { count: series.count, lastObservedTime } };
    this.#send(series.lane, async () => {
      try {
        await this.#resource.mergePatch({ name, namespace }, patch, call);
      } catch (error) {
        // Events live for an hour; one that is gone is told anew.
        if (!isNotFound(error)) throw error;
        await this.#resource.create({ ...series.event, ...patch }, call);
      }
    });
  }

  /** Those of a lane one after the other. */
  #send(lane: number, request: () => Promise<unknown>): void {
    if (this.#waiting >= longestQueue) {
      this.#options.onDropped?.();
      return;
    }
    this.#waiting++;
    this.#lanes[lane] = (this.#lanes[lane] ?? Promise.resolve()).then(async () => {
      try {
        if (!this.#isOver) await request();
      } catch (error) {
        this.#options.log.debug({ err: error }, 'an event could not be recorded');
      } finally {
        this.#waiting--;
      }
    });
  }
}
