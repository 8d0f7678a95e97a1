import { compareVersions } from '#store/resource-version.ts';
import { ApiError } from '#transport/api-error.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { AbsentKind } from './absent-kind.ts';
import { Backoff } from './backoff.ts';
import { parseWatchEvent } from './event.ts';
import { classify, type Failure, ServerWentBackError, StaleListError, WatchProtocolError, WatchSilentError } from './failure.ts';
import { listPages } from './list-pages.ts';
import { newestVersion } from './newest-version.ts';
import type { WatcherOptions, WatchState } from './options.ts';
import { Watchdog } from './watchdog.ts';

/** Streams and lists begin at most this often. */
const shortestCycleMs = 1000;
/** A stream that lived this long, or told anything, ends a row of failures. */
const provenAfterMs = 5000;
const answersBeforeRelist = 3;
const smallestPage = 10;
/** A server restored from a backup is older for good; then its word counts after all. */
const staleListsBeforeBelief = 5;
const metadataOnlyAccept = (suffix: string): string => `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;

/**
 * Keeps a sink up to date with one collection of the API server, for as long as it runs.
 *
 * The list is paged, not streamed (sendInitialEvents): pages work on every server and through every proxy, a page is a bounded piece of work
 * for the event loop, and a list that breaks half-way leaves nothing behind.
 *
 * Guarantees: every failure is survived; at most one list or stream begins per second; the sink sees complete lists only; no deletion is missed,
 * however long the stream was away; one stream is open at most; a server that comes back older than it was is listed.
 * Assumptions: the sink does not throw.
 * Caveats: a server restored from a backup that is past our version again before it is asked looks like one that never went back. etcd has
 * `--bump-revision` and `--mark-compacted` for restores, with which that cannot be. So does one that is restored without a stream breaking: silence
 * alone is no reason to ask, since a quiet kind would cost a request every time.
 */
export class Watcher<T extends KubeObject> {
  readonly #options: WatcherOptions<T>;
  readonly #backoff: Backoff;
  readonly #absent: AbsentKind;
  #state: WatchState = 'stopped';
  /** Where the next stream begins; undefined means list first. */
  #version: string | undefined;
  #newestSeen: string | undefined;
  #isProven = false;
  #lastFailure: Failure | undefined;
  #answers = 0;
  #staleLists = 0;
  #pageSize: number;
  #cycleStartedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WatcherOptions<T>) {
    this.#options = options;
    this.#pageSize = options.pageSize ?? 500;
    const random = options.random ?? Math.random;
    this.#backoff = new Backoff({ firstMs: 1000, capMs: 5000, random });
    this.#absent = new AbsentKind(options);
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pace(signal);
        if (this.#version === undefined) await this.#list(signal);
        else if (this.#lastFailure === 'unreachable') await this.#refuseOlderServer(this.#version, signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) break;
        await this.#recover(error, signal);
      }
    }
    this.#absent.forget();
    this.#enter('stopped');
  }

  async #pace(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const waitMs = this.#cycleStartedAt + shortestCycleMs - clock.monotonic();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    this.#cycleStartedAt = clock.monotonic();
  }

  async #list(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'absent') this.#enter('listing');
    const { api, sink, take } = this.#options;
    const page = { ...this.#collection(signal), pageSize: this.#pageSize, ...(take === undefined ? {} : { take }) };
    const { objects, resourceVersion } = await listPages<T>(api, page).catch((error: unknown) => {
      // The page may have been too much for the time or the memory there is; half of it may not be.
      if (classify(error) === 'unreachable') this.#pageSize = Math.max(smallestPage, Math.floor(this.#pageSize / 2));
      throw error;
    });
    this.#refuseStale(resourceVersion);
    this.#absent.forget();
    this.#pageSize = this.#options.pageSize ?? 500;
    this.#version = resourceVersion;
    this.#newestSeen = resourceVersion;
    sink.replaced(objects, resourceVersion);
  }

  #refuseStale(resourceVersion: string): void {
    if (this.#newestSeen === undefined || compareVersions(resourceVersion, this.#newestSeen) >= 0) {
      this.#staleLists = 0;
    } else if (++this.#staleLists < staleListsBeforeBelief) {
      throw new StaleListError(
        `GET ${this.#options.path}: the list is of version ${resourceVersion}, but ${this.#newestSeen} was seen before; asking again`,
      );
    }
  }

  /** Who comes back after an outage may be an older self, restored from a backup; no stream would ever tell. */
  async #refuseOlderServer(seen: string, signal: AbortSignal): Promise<void> {
    const newest = await newestVersion(this.#options.api, this.#collection(signal));
    if (compareVersions(newest, seen) < 0)
      throw new ServerWentBackError(
        `GET ${this.#options.path}: the server is at version ${newest}, but ${seen} was seen before, as after a restore from a backup; listing anew`,
      );
  }

  async #watch(parent: AbortSignal): Promise<void> {
    // A signal that was aborted before somebody listens is never heard.
    parent.throwIfAborted();
    this.#enter('watching');
    this.#isProven = false;
    const { api, path, clock, metadataOnly, silenceMs = 90_000, random = Math.random } = this.#options;
    const stream = new AbortController();
    const abort = (): void => stream.abort(parent.reason);
    parent.addEventListener('abort', abort, { once: true });
    const openedAt = clock.monotonic();
    using watchdog = new Watchdog(clock, silenceMs, () =>
      stream.abort(new WatchSilentError(`GET ${path}: the watch was silent for ${silenceMs / 1000} s; opening another`)),
    );
    try {
      const batches = api.streamBatches({
        method: 'GET',
        path,
        query: {
          ...this.#selectors(),
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion: this.#version,
          // The server ends each watch some time; at random, so that many watches do not come back together.
          timeoutSeconds: Math.round(300 + 300 * random()),
        },
        signal: stream.signal,
        ...(metadataOnly === true ? { accept: metadataOnlyAccept('') } : {}),
      });
      for await (const batch of batches) {
        watchdog.feed();
        for (const line of batch) this.#deliver(line);
      }
      if (!this.#isProven && clock.monotonic() - openedAt < provenAfterMs)
        throw new WatchProtocolError(`GET ${path}: the server ended the watch as soon as it was opened`);
    } finally {
      parent.removeEventListener('abort', abort);
      if (clock.monotonic() - openedAt >= provenAfterMs) this.#proven();
    }
  }

  #deliver(line: string): void {
    const { sink, path, take = (object: T) => object } = this.#options;
    if (line === '') return;
    const event = parseWatchEvent<T>(line, path);
    if (event.type === 'BOOKMARK') {
      this.#reach(event.resourceVersion);
      sink.progressed(event.resourceVersion);
      return;
    }
    const object = take(event.object);
    if (event.type === 'DELETED') sink.removed(object);
    else sink.applied(object);
    this.#reach(object.metadata.resourceVersion as string);
  }

  /** A replayed old event must not take the position back. */
  #reach(version: string): void {
    this.#proven();
    if (this.#version !== undefined && compareVersions(version, this.#version) <= 0) return;
    this.#version = version;
    this.#newestSeen = version;
  }

  #proven(): void {
    this.#isProven = true;
    this.#lastFailure = undefined;
    this.#backoff.reset();
    this.#answers = 0;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const failure = classify(error);
    if (failure === 'absent' && this.#absent.answered()) this.#options.sink.absent();
    const pauseMs = this.#pauseAfter(failure, error);
    if (failure === 'answered') this.#answers++;
    const isPositionGood =
      failure === 'unreachable' || failure === 'silent' || (failure === 'answered' && this.#answers < answersBeforeRelist);
    if (!isPositionGood) this.#version = undefined;
    this.#lastFailure = failure;
    this.#options.observer?.failure?.(error instanceof Error ? error : new Error(String(error)), pauseMs);
    this.#enter(failure === 'absent' ? 'absent' : 'pausing');
    if (failure === 'absent') return this.#absent.rest(pauseMs, signal);
    // Only the signal ends a sleep early, and the loop looks at it next.
    await this.#options.clock.sleep(pauseMs, signal).catch(() => undefined);
  }

  #pauseAfter(failure: Failure, error: unknown): number {
    const { random = Math.random } = this.#options;
    if (failure === 'absent') return this.#absent.nextPauseMs();
    // The server knows best how long it needs, also when it says so many times in a row.
    if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs * (1 + random() / 10);
    // An expired version is no sign of trouble: list at once, unless a list just led here.
    if (failure === 'expired' && this.#lastFailure !== 'expired') return 0;
    return this.#backoff.next();
  }

  #collection(signal: AbortSignal) {
    const { path, metadataOnly } = this.#options;
    const accept = metadataOnly === true ? { accept: metadataOnlyAccept('List') } : {};
    return { path, query: this.#selectors(), signal, ...accept };
  }

  #selectors(): Record<string, string | undefined> {
    const { labelSelector, fieldSelector } = this.#options;
    return { labelSelector, fieldSelector };
  }

  #enter(state: WatchState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.observer?.state?.(state);
  }
}
