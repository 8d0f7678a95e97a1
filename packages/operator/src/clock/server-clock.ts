import type { ApiRequest, ApiResponse, ApiTransport, Clock } from '@terrain/runtime';

const secondMs = 1000;

/**
 * The API server's time, learnt from the Date of its answers. Instants that several processes compare come from here: the clocks of
 * nodes differ, and jump.
 *
 * Guarantees: between answers it goes on with our monotonic clock, so a jump of the wall clock changes nothing; it is never ahead of
 * the server by more than a second, and follows when the server's clock is set back.
 * Caveats: answers carry whole seconds; right after the first one the time may be up to a second slow. Before any answer it is the wall clock.
 */
export class ServerClock {
  readonly #clock: Clock;
  /** Server time minus monotonic time: the highest that every answer since the last correction allows. */
  #offsetMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#offsetMs === undefined ? this.#clock.now() : Math.round(this.#clock.monotonic() + this.#offsetMs);
  }

  /** An answer with this Date was received now to a request sent at `sentAtMs` of the monotonic clock. */
  learn(date: Date | undefined, sentAtMs: number): void {
    if (date === undefined || Number.isNaN(date.getTime())) return;
    const atLeast = date.getTime() - this.#clock.monotonic();
    const atMost = date.getTime() + secondMs - sentAtMs;
    const known = this.#offsetMs ?? Number.NEGATIVE_INFINITY;
    this.#offsetMs = known > atMost ? atLeast : Math.max(known, atLeast);
  }

  /** A transport that learns from every answer. */
  listenTo(api: ApiTransport): ApiTransport {
    const exchange = async <T>(request: ApiRequest): Promise<ApiResponse<T>> => {
      const sentAtMs = this.#clock.monotonic();
      const response = await api.exchange<T>(request);
      this.learn(response.date, sentAtMs);
      return response;
    };
    return {
      exchange,
      request: async <T>(request: ApiRequest) => (await exchange<T>(request)).body,
      stream: (request) => api.stream(request),
      streamBatches: (request) => api.streamBatches(request),
    };
  }
}
