import type { Clock } from '#clock/clock.ts';
import type { ApiTransport } from '#transport/api-transport.ts';

/** Who is told what a watch learns. Calls come one at a time and in the order of the cluster. */
export interface WatchSink<T> {
  /** A complete list, in place of all that was known. */
  replaced(objects: readonly T[], resourceVersion: string): void;
  applied(object: T): void;
  removed(object: T): void;
  /** Nothing changed up to this version. */
  progressed(resourceVersion: string): void;
  /** The server does not serve the kind, so there are no objects of it. */
  absent(): void;
}

/**
 * | state    | what happens                                       | leads to                                                            |
 * |----------|----------------------------------------------------|---------------------------------------------------------------------|
 * | listing  | all pages, from the newest state                   | watching; absent on 404; pausing on anything else                   |
 * | watching | events after the last version, bookmarks included  | watching at the stream's end; listing on 410; pausing on other ends |
 * | absent   | the kind is not served; asks when its definition   | listing                                                             |
 * |          | comes or changes; if unknown, ever more rarely     |                                                                     |
 * | pausing  | backoff after a failure; a server that was out of  | where it failed; listing after three answers that were no stream,   |
 * |          | reach is then asked how new it is                  | and when the server is older than it was                            |
 * | stopped  | the signal was aborted                             | nothing                                                             |
 */
export type WatchState = 'listing' | 'watching' | 'absent' | 'pausing' | 'stopped';

/** Told for logs and metrics; must not throw. */
export interface WatchObserver {
  state?(state: WatchState): void;
  failure?(error: Error, retryInMs: number): void;
}

/** What is known of the definition of a kind: spares asking again and again for a kind that is not there. */
export interface KindDefinition {
  /** Whether there is one; undefined while that cannot be known. */
  readonly exists: boolean | undefined;
  /** Calls back when the definition comes, changes or goes, and when it becomes known whether there is one. Returns the way to end that. */
  follow(callback: () => void): () => void;
}

/** What to watch, and who is told. */
export interface WatcherOptions<T> {
  readonly api: ApiTransport;
  /** Path of the collection. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Asks for name, labels and the other metadata only. */
  readonly metadataOnly?: boolean;
  /** What the sink is told in place of each object; told at once, so that a list in memory is never whole as it came. Default: the object. */
  readonly take?: (object: T) => T;
  readonly sink: WatchSink<T>;
  /** Absent: a kind that is not served is asked for every few seconds. */
  readonly definition?: KindDefinition;
  readonly clock: Clock;
  readonly observer?: WatchObserver;
  /** Default 500. */
  readonly pageSize?: number;
  /** A stream silent for this long is given up. Bookmarks come every 60 to 61 s, later from a busy server. Default 90 s. */
  readonly silenceMs?: number;
  readonly random?: () => number;
}
