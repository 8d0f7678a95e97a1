import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked when time is up, so that the message can say what was still missing. */
  readonly missing?: () => string | Promise<string>;
}

/** Asks again and again until there is an answer; fails with a sentence when the time is up. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, options: UntilOptions): Promise<T> {
  const end = performance.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) {
      const missing = (await options.missing?.()) ?? '';
      throw new Error(`${what} did not happen within ${options.timeoutMs / 1000} s${missing === '' ? '' : `: ${missing}`}`);
    }
    await delay(options.everyMs ?? 50, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}
