import { systemClock } from '#clock/clock.ts';

/** Waits for a condition; what it waited for is in the error when the time is up. */
export async function until(
  what: string,
  isMet: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
  everyMs = 5,
): Promise<void> {
  const end = systemClock.monotonic() + timeoutMs;
  while (!(await isMet())) {
    if (systemClock.monotonic() > end) throw new Error(`after ${timeoutMs / 1000} s there is still no ${what}`);
    await systemClock.sleep(everyMs);
  }
}
