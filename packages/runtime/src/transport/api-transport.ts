/** One call to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path below the server's address, e.g. `/api/v1/namespaces`. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Deadline of the whole call, waits for Retry-After included. Default: the connection's. */
  readonly timeoutMs?: number;
  /** Leaves managedFields of the objects in the answer unread; there is an empty list instead, as a rule. */
  readonly withoutManagedFields?: boolean;
  /** Called each time it is about to go out, also after a wait for Retry-After. What it throws is thrown, and nothing is sent. */
  readonly beforeSend?: () => void;
}

/** An answer with what travels beside its body. */
export interface ApiResponse<T> {
  readonly code: number;
  readonly body: T;
  /** Admission and deprecation warnings, unquoted. */
  readonly warnings: readonly string[];
  /** The server's clock at the time of the answer. */
  readonly date: Date | undefined;
}

/**
 * Something that speaks to an API server. `Connection` is the real one; tests bring their own.
 *
 * Guarantees: an answer other than 2xx is thrown as ApiError, from a stream before its first line.
 */
export interface ApiTransport {
  /** Sends a request and returns the parsed body. */
  request<T>(request: ApiRequest): Promise<T>;
  /** Sends a request and returns the answer with its warnings and the server's time. */
  exchange<T>(request: ApiRequest): Promise<ApiResponse<T>>;
  /** Opens a stream (a watch, a log) and yields its lines until the server ends it; leaving the loop closes it. */
  stream(request: ApiRequest): AsyncIterable<string>;
  /** As `stream`, but all lines that arrived together at once: one step of the event loop for many events. */
  streamBatches(request: ApiRequest): AsyncIterable<readonly string[]>;
}
