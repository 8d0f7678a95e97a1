/**
 * Time as the runtime sees it. Everything that waits or measures takes one, so that tests own the time.
 *
 * Guarantees: `monotonic` never goes back, whatever happens to the wall clock; waits follow it. A wait of any length works, 60 days included.
 * Caveats: `now` follows the machine's clock and may jump; use it only for instants that people or other machines read.
 */
export interface Clock {
  /** Wall time in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** Calls `callback` once after `ms`; the function returned cancels that and may be called at any time. */
  setTimeout(callback: () => void, ms: number): () => void;
  /** Resolves after `ms`; rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay a timer of Node takes; anything longer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    const end = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = end - performance.now();
      // Node's timers may fire a fraction of a millisecond early, which `monotonic` would notice.
      timer = left > 0 ? setTimeout(arm, Math.min(Math.ceil(left), longestTimerMs)) : setTimeout(callback, 0);
    };
    timer = setTimeout(ms <= longestTimerMs ? callback : arm, Math.min(Math.max(ms, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
  sleep(ms, signal) {
    return sleepOn(systemClock, ms, signal);
  },
};

/** `sleep` in terms of `setTimeout`, for implementations of Clock. */
export function sleepOn(clock: Pick<Clock, 'setTimeout'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
