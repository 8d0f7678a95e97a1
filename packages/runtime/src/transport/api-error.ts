/** One field-level reason inside a refusal, as the API server lists them. */
export interface StatusCause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/** The part of a `metav1.Status` that callers act on. */
export interface StatusBody {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** A server or proxy that asks for a day is often back in minutes. */
const longestRetryAfterMs = 60_000;

/**
 * The API server answered, and the answer was no.
 *
 * Guarantees: `code` is the HTTP status; `reason` is the server's machine-readable word (`NotFound`, `Conflict`, `Forbidden`, ...)
 * or '' where the answer was no Status object (a proxy's page, say).
 * Caveats: a request that got no answer at all is not an ApiError but the socket's own error; whether it was carried out is unknown.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** What the server asked us to wait before trying again, a minute at most; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(code: number, status: StatusBody | undefined, request: string, retryAfterMs?: number) {
    super(`${request}: ${status?.message ?? `the API server answered ${code}`}`);
    this.code = code;
    this.reason = status?.reason ?? '';
    this.causes = status?.details?.causes ?? [];
    const seconds = status?.details?.retryAfterSeconds;
    const askedMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
    this.retryAfterMs = askedMs === undefined ? undefined : Math.min(askedMs, longestRetryAfterMs);
  }
}

/** The object, its namespace or its kind does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;
/** The object is not in the version the write was decided on, or somebody else owns a field of it. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason === 'Conflict';
/** An object of this name exists. */
export const isAlreadyExists = (error: unknown): boolean => error instanceof ApiError && error.reason === 'AlreadyExists';
