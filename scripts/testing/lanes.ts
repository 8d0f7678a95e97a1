/**
 * Does pieces of work, so many at a time, each begun in the order given.
 *
 * Guarantees: the results are in the order of the pieces; a piece that throws ends nothing else, and its error is thrown once all have ended.
 */
export async function inLanes<T, R>(lanes: number, pieces: readonly T[], work: (piece: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const errors: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < pieces.length) {
      const index = next++;
      try {
        results.set(index, await work(pieces[index]!));
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (errors.length > 0) throw errors[0];
  return pieces.map((_, index) => results.get(index)!);
}
