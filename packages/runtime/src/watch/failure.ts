import { ApiError } from '#transport/api-error.ts';

/** A watch event that could not be read: the stream is not what it should be, so its position cannot be trusted beyond the last good event. */
export class WatchProtocolError extends Error {
  override readonly name = 'WatchProtocolError';
}

/** Nothing arrived for longer than bookmarks take: the socket is open on our side only. */
export class WatchSilentError extends Error {
  override readonly name = 'WatchSilentError';
}

/** A list older than what was seen already: the answering server lags behind, and acting on it would undo work. */
export class StaleListError extends Error {
  override readonly name = 'StaleListError';
}

/**
 * The server is older than what was seen already, as one restored from a backup. It takes a watch from its own future and says nothing until it
 * gets there, and what it has done until then it never tells.
 */
export class ServerWentBackError extends Error {
  override readonly name = 'ServerWentBackError';
}

/** What a failed list or watch means for the next step. */
export type Failure =
  | 'expired' // the server no longer has our version: list again
  | 'absent' // the kind is not served (its CRD does not exist yet, or no more)
  | 'answered' // the server, or what stands in front of it, answered with something else than the stream
  | 'unreachable' // no answer, or none now: our version is still good
  | 'silent'; // an open stream told nothing for long, as those of quiet kinds do where there are no bookmarks: our version is still good

/** Reads an error of a list or a watch; the one place that does. */
export function classify(error: unknown): Failure {
  if (error instanceof ApiError) {
    if (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone') return 'expired';
    // Some servers refuse a watch from their future instead of being silent: they were restored from a backup too.
    if (error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return 'expired';
    // A busy or starting server says nothing about our position.
    if (error.code === 429 || error.code === 503) return 'unreachable';
    // For a group nobody serves the answer is not even a Status, so any 404 counts.
    return error.code === 404 ? 'absent' : 'answered';
  }
  if (error instanceof ServerWentBackError) return 'expired';
  if (error instanceof WatchSilentError) return 'silent';
  return error instanceof WatchProtocolError || error instanceof StaleListError ? 'answered' : 'unreachable';
}
