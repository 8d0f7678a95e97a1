/** Requests of one workspace at the same time: enough to hide their way, and not so many that others wait. */
const width = 8;

/**
 * Does the work for all of them, several at a time.
 *
 * Guarantees: after the first error nothing more is begun; it is thrown when what was under way has ended, so that no write of a pass that failed
 * meets those of the next.
 */
export async function abreast<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const one of rest) {
      if (errors.length > 0) return;
      await work(one).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
