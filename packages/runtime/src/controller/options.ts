import type { Writer } from '#apply/writer.ts';
import type { Clock } from '#clock/clock.ts';
import type { Informer } from '#informer/informer.ts';
import type { Informers } from '#informer/informers.ts';
import type { Logger } from '#log/logger.ts';
import type { FailureLimiterOptions } from '#queue/failure-limiter.ts';
import type { QueueObserver } from '#queue/work-queue.ts';
import type { ObjectKey } from '#store/key.ts';
import type { Change } from '#store/store.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { Result } from './result.ts';

/** What a reconcile gets besides the key. */
export interface ReconcileContext {
  /** Aborted at the deadline, when the controller stops, and when the pass has ended. Hand it to everything that waits. */
  readonly signal: AbortSignal;
  /** Carries the controller, the key and an id of this pass on every line. */
  readonly log: Logger;
  /** Writes on behalf of this key: the next pass waits until the caches show them, and their own events wake nobody. */
  readonly writer: Writer;
  /** Failures in a row before this pass. */
  readonly failures: number;
}

/** Makes the world agree with one object, or finds out why it cannot. Called with a key, never with an event: it reads all it needs. */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result>;

/** How a pass ended, as metrics count it. */
export type Outcome = 'success' | 'requeue_after' | 'error' | 'terminal' | 'conflict';

/** Told for metrics; must not throw. */
export interface ControllerObserver {
  passEnded?(outcome: Outcome, tookMs: number): void;
  readonly queue?: QueueObserver;
}

/** What makes a controller. A Manager fills in what all controllers of a program share. */
export interface ControllerOptions<T extends KubeObject> {
  /** In logs and metrics; unique in a process. */
  readonly name: string;
  /** The kind whose keys are reconciled. */
  readonly for: Informer<T>;
  readonly reconcile: Reconcile;
  readonly informers: Informers;
  readonly api: ApiTransport;
  /** Under which name fields are owned in server-side apply. */
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Passes at the same time, each on another key. Default 4. */
  readonly workers?: number;
  /** Deadline of one pass. Default 2 minutes. */
  readonly timeoutMs?: number;
  readonly limiter?: FailureLimiterOptions;
  readonly observer?: ControllerObserver;
}

/** The keys (text form) that care about an object. Called for an object as it was and as it is; pure and quick. */
export type KeysOf<T> = (object: T) => Iterable<string>;

/** Limits on which changes of a watched kind wake keys. */
export interface SourceOptions<T> {
  /** Changes it refuses wake nobody. */
  readonly when?: (change: Change<T>) => boolean;
  /** For how long an update may wait for others, so that several make one pass. Creations, deletions and ends never wait. Default 0. */
  readonly gatherMs?: () => number;
}
