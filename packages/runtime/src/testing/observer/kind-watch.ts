import type { Clock } from '#clock/clock.ts';
import { ApiError } from '#transport/api-error.ts';
import type { Connection } from '#transport/connection.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';
import { changesBetween } from './gap.ts';

/** What a watch reports; every call is in the order of the stream. */
export interface WatchReport {
  /** The version to continue from. */
  readonly progress: () => bigint;
  /** Whether somebody waits to hear how far this kind is. */
  readonly isAwaited: () => boolean;
  readonly onEvent: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject) => void;
  /** Nothing of this kind happened up to this version that was not reported. */
  readonly onProgress: (revision: bigint) => void;
}

interface Line {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number; readonly message?: string };
}

const longSeconds = 240;
/** A server sends a bookmark two seconds before a watch ends, so a short watch soon tells how far it is. */
const shortSeconds = 3;
const retryAfterMs = 200;
/** Each version in a gap costs a request. */
const widestGap = 5000n;

/**
 * Watches one kind without a gap, for as long as it takes.
 *
 * Guarantees: continues from the last version seen after whatever ends a stream. A server that restarted has forgotten its events but not the
 * states they led to: then the events are found again from the states. When those are gone too it fails and says so instead of starting again.
 */
export class KindWatch {
  readonly type: ResourceType;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #report: WatchReport;
  #isLong = false;
  #stream = new AbortController();

  constructor(type: ResourceType, connection: Connection, clock: Clock, report: WatchReport) {
    this.type = type;
    this.#connection = connection;
    this.#clock = clock;
    this.#report = report;
  }

  /** Asks the server to say soon how far it is; without this a quiet kind may stay silent for minutes. */
  hurry(): void {
    if (this.#isLong) this.#stream.abort();
  }

  /** Runs until the signal; rejects when the history has a hole. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = this.#report.progress();
      try {
        await this.#once(signal).catch((error: unknown) => (isGone(error) ? this.#fillGap() : Promise.reject(error)));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof HistoryGapError) throw error;
        // Whatever else it is, a server that restarts looks like it; who waits for us has their own patience.
        const isStuck = !this.#stream.signal.aborted && this.#report.progress() === before;
        if (isStuck) await this.#clock.sleep(retryAfterMs, signal).catch(() => undefined);
      }
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    this.#stream = new AbortController();
    const isShort = this.#report.isAwaited();
    this.#isLong = !isShort;
    // A consistent list makes the server's cache of this kind catch up with the store; only then has a bookmark news to tell.
    if (isShort) await this.#now(signal);
    const query = {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: String(this.#report.progress()),
      timeoutSeconds: isShort ? shortSeconds : longSeconds,
    };
    const stream = this.#connection.stream({
      method: 'GET',
      path: resourcePath(this.type),
      query,
      signal: AbortSignal.any([signal, this.#stream.signal]),
    });
    for await (const text of stream) this.#take(JSON.parse(text) as Line);
  }

  #take({ type, object }: Line): void {
    if (type === 'ERROR') throw new ApiError(object.code ?? 500, object, `watching ${this.type.plural}`);
    if (type === 'BOOKMARK') this.#report.onProgress(BigInt(object.metadata.resourceVersion!));
    else this.#report.onEvent(type as 'ADDED', object);
  }

  async #fillGap(): Promise<void> {
    const from = this.#report.progress();
    const to = BigInt((await this.#now()).metadata.resourceVersion!);
    if (to - from > widestGap) throw this.#gap(`the next ${to - from} versions are too many to ask for one by one`);
    try {
      for await (const { type, object } of changesBetween(this.#connection, this.type, from, to))
        this.#report.onEvent(type, object);
    } catch (error) {
      throw isGone(error) ? this.#gap('the server has forgotten what came next') : error;
    }
    this.#report.onProgress(to);
  }

  #now(signal?: AbortSignal): Promise<KubeList<KubeObject>> {
    const path = resourcePath(this.type);
    return this.#connection.request({ method: 'GET', path, query: { limit: 1 }, ...(signal === undefined ? {} : { signal }) });
  }

  #gap(why: string): HistoryGapError {
    const after = `the history of ${this.type.plural} has a hole after version ${this.#report.progress()}`;
    return new HistoryGapError(`${after}: ${why}, so nothing can be said about it`);
  }
}

/** Something may have happened that nobody can tell any more. */
class HistoryGapError extends Error {
  override readonly name = 'HistoryGapError';
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 410;
