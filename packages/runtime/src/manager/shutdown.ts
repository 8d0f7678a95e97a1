import type { Clock } from '#clock/clock.ts';
import type { Logger } from '#log/logger.ts';

/** Something did not stop in time. */
export class ShutdownError extends Error {
  override readonly name = 'ShutdownError';
}

/**
 * Stops things one after the other within one deadline.
 *
 * Guarantees: every step is begun, in order, whatever became of the ones before; none is waited for beyond the deadline.
 */
export class Shutdown {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #problems: string[] = [];
  readonly #causes: unknown[] = [];

  constructor(clock: Clock, log: Logger, timeoutMs: number) {
    this.#clock = clock;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = clock.monotonic() + timeoutMs;
  }

  /** Of the time for all of it. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.monotonic());
  }

  /** True when the step ended well and in time. */
  async step(name: string, stop: () => Promise<unknown>): Promise<boolean> {
    const timer = new AbortController();
    const late = this.#clock.sleep(this.leftMs, timer.signal).then(
      () => 'late' as const,
      () => 'cancelled' as const,
    );
    try {
      const result = await Promise.race([stop().then(() => 'stopped' as const), late]);
      if (result === 'stopped') return true;
      this.#problems.push(`${name} did not stop within ${this.#timeoutMs / 1000} s`);
    } catch (error) {
      this.#problems.push(`${name} failed to stop`);
      this.#causes.push(error);
      this.#log.warn({ err: error, part: name }, 'a part failed to stop');
    } finally {
      timer.abort();
    }
    return false;
  }

  /** Throws when a step did not end well. */
  finish(): void {
    if (this.#problems.length > 0) throw new ShutdownError(this.#problems.join('; '), { cause: this.#causes[0] });
  }
}

/** Aborted by the first SIGTERM or SIGINT; a second one ends the process as if nobody listened. */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => controller.abort(new Error(`stopped by ${name}`)));
  return controller.signal;
}
