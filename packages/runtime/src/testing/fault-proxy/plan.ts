import type { CallMatch } from '../request-log.ts';

/**
 * What goes wrong, and when. Plain data: it can be printed with a failing seed and replayed from a file.
 *
 * Guarantees: of the rules that match a request (or a watch event) the first that fires decides; every rule counts its own matches, fired or not.
 */
export interface FaultPlan {
  /** Where `share` draws its lots from. Default 1. */
  readonly seed?: number;
  readonly rules: readonly FaultRule[];
}

export type FaultRule = RequestRule | EventRule;

interface Occurrence {
  /** Shown in the log. Default: the fault's own name. */
  readonly name?: string;
  /** Which matches are meant, counted from 1: one, several, a span. Absent: all. */
  readonly nth?: number | readonly number[] | { readonly from: number; readonly to?: number };
  /** Of these, which share is hit, between 0 and 1, drawn by the plan's seed. */
  readonly share?: number;
}

export interface RequestRule extends Occurrence {
  readonly on: 'request';
  readonly match?: CallMatch;
  readonly do: RequestFault;
}

export interface EventRule extends Occurrence {
  readonly on: 'event';
  readonly match?: EventMatch;
  readonly do: EventFault;
}

/** Which watch events are meant; what is left out does not matter. */
export interface EventMatch {
  readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export type RequestFault =
  /** The connection is reset; the server never hears of the request. */
  | { readonly fault: 'refuse' }
  /** The request is carried out; the connection is reset instead of an answer. */
  | { readonly fault: 'lose-reply' }
  /** The client is killed: before the request is carried out, after it but without an answer, or after the answer was sent. */
  | { readonly fault: 'kill-client'; readonly when: 'before' | 'applied' | 'answered' }
  /** The request is not carried out; this is answered. */
  | {
      readonly fault: 'answer';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The request is passed on only after a time, or its answer is. */
  | { readonly fault: 'delay'; readonly ms: number; readonly of?: 'request' | 'reply' }
  /** As delay, until the gate of this name is opened. */
  | { readonly fault: 'hold'; readonly gate: string; readonly of?: 'request' | 'reply' }
  /** Neither carried out nor answered; the connection stays open. */
  | { readonly fault: 'hang' }
  /** The answer comes in small pieces. */
  | { readonly fault: 'slow-body'; readonly chunkBytes: number; readonly everyMs: number }
  /** The answer is whole, then the kept-alive connection is closed without a word, as a server does that is going away. */
  | { readonly fault: 'close-after' }
  /** The answer is that of an earlier moment; a watch stays there until the gate is opened. */
  | { readonly fault: 'time-travel'; readonly resourceVersion: string; readonly gate: string }
  | WatchFault;

/** Faults of a watch as a whole. `afterEvents` events pass first; default 0. */
export type WatchFault =
  /** The stream ends: properly, or by a reset. */
  | { readonly fault: 'close-watch'; readonly afterEvents?: number; readonly how?: 'end' | 'reset' }
  /** Nothing arrives any more, and the connection stays open. */
  | { readonly fault: 'blackhole'; readonly afterEvents?: number }
  /** The version is too old: told by the status code, or by an ERROR event in the stream. */
  | { readonly fault: 'expire'; readonly as: 'status' | 'event'; readonly afterEvents?: number }
  /** Every event arrives this much later, in order. */
  | { readonly fault: 'lag'; readonly ms: number };

export type EventFault =
  | { readonly fault: 'drop' }
  /** It and all after it on the same stream arrive later: a stream never reorders. */
  | { readonly fault: 'delay'; readonly ms: number }
  | { readonly fault: 'hold'; readonly gate: string }
  /** It arrives again after `afterEvents` more events (default 0: at once). */
  | { readonly fault: 'duplicate'; readonly afterEvents?: number };
