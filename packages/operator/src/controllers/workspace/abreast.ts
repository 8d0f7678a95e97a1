/** Requests of one workspace at the same time: enough to hide their way, and not so many that others wait. */
const width = 8;

/** Does the work for all of them, several at a time; rejects with the first error. */
export async function abreast<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async (): Promise<void> => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker));
}
