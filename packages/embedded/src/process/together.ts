/**
 * Does several things at once, all or nothing.
 *
 * Guarantees: the first failure, or the caller's signal, aborts the others; this settles only when all of them have, so nothing goes on in the
 * background afterwards. The error thrown is the first one, not the abort it caused; after the caller's abort one that says more than that.
 */
export async function together<T extends readonly unknown[]>(
  signal: AbortSignal | undefined,
  works: { readonly [K in keyof T]: (signal: AbortSignal) => Promise<T[K]> },
): Promise<T> {
  const stop = new AbortController();
  const linked = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const running = works.map(async (work) => work(linked));
  try {
    return (await Promise.all(running)) as unknown as T;
  } catch (error) {
    stop.abort();
    const outcomes = await Promise.allSettled(running);
    throw signal?.aborted === true ? (telling(outcomes, signal) ?? error) : error;
  }
}

/** What somebody has to say about being aborted. */
function telling(outcomes: readonly PromiseSettledResult<unknown>[], { reason }: AbortSignal): unknown {
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  return errors.find((error) => error !== reason && error.name !== 'AbortError');
}
