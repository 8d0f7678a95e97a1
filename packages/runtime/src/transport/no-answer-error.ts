import type { ApiRequest } from './api-transport.ts';

/**
 * A request that got no answer: refused, reset, the time was up, or there was no token to send it with.
 *
 * Caveats: whether the server carried it out is unknown; a write is to be looked at, not repeated blindly.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** The deadline passed, as opposed to a socket that broke. */
  readonly isTimeout: boolean;
  /** It was never sent: the login gave no token. */
  readonly isWithoutToken: boolean;

  constructor(
    request: ApiRequest,
    words: string,
    options: { cause?: unknown; isTimeout?: boolean; isWithoutToken?: boolean } = {},
  ) {
    super(`${request.method} ${request.path}: ${words}`, { cause: options.cause });
    this.isTimeout = options.isTimeout === true;
    this.isWithoutToken = options.isWithoutToken === true;
  }
}

/** What went wrong with a socket, in words; errors about several addresses hide them one level down. */
export function socketWords(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(socketWords).join('; ');
  return error instanceof Error ? error.message : String(error);
}
