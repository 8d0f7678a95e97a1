import { ApiError } from '#transport/api-error.ts';
import { NoAnswerError } from '#transport/no-answer-error.ts';

/** So soon after the server is back all keys have been tried again. */
const longestWaitMs = 5000;

/**
 * How long to wait after an error, given what the key's row of failures asks for.
 *
 * A server that cannot be reached says nothing about the object: were its row of failures to count in full, the keys of a controller would rest
 * for minutes after the server has come back.
 */
export function waitAfter(error: unknown, grownMs: number, random: () => number = Math.random): number {
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  const ownMs = isOutage(error) ? Math.min(grownMs, longestWaitMs * (1 + random() / 10)) : grownMs;
  return Math.max(ownMs, asked);
}

function isOutage(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  if (error instanceof ApiError) return error.code === 503;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isOutage);
  return error instanceof Error && error.cause !== undefined && isOutage(error.cause);
}
