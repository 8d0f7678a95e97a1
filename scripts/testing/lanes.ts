/** When a piece of work may begin. */
export interface Conditions {
  /** Not before this is settled. */
  readonly after?: Promise<unknown>;
  /** Never together with another piece of the same turn. */
  readonly turn?: string;
}

/**
 * Does pieces of work, so many at a time: a free lane takes the first piece, in the order given, that may begin.
 *
 * Guarantees: the results are in the order of the pieces; a piece that throws ends nothing else, and its error is thrown once all have ended.
 */
export async function inLanes<T, R>(
  lanes: number,
  pieces: readonly T[],
  work: (piece: T) => Promise<R>,
  conditionsOf: (piece: T) => Conditions = () => ({}),
): Promise<R[]> {
  const results = new Map<T, R>();
  const errors: unknown[] = [];
  const waiting = new Set(pieces);
  const turns = new Set<string>();
  const unripe = new Set<T>();
  let change = Promise.withResolvers<void>();
  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  for (const piece of pieces) {
    const { after } = conditionsOf(piece);
    if (after === undefined) continue;
    unripe.add(piece);
    const ripen = (): void => {
      unripe.delete(piece);
      changed();
    };
    after.then(ripen, ripen);
  }
  const mayBegin = (piece: T): boolean => !unripe.has(piece) && !turns.has(conditionsOf(piece).turn ?? '');
  const lane = async (): Promise<void> => {
    while (waiting.size > 0) {
      const piece = [...waiting].find(mayBegin);
      if (piece === undefined) {
        await change.promise;
        continue;
      }
      waiting.delete(piece);
      const { turn } = conditionsOf(piece);
      if (turn !== undefined) turns.add(turn);
      try {
        results.set(piece, await work(piece));
      } catch (error) {
        errors.push(error);
      }
      if (turn !== undefined) turns.delete(turn);
      changed();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (errors.length > 0) throw errors[0];
  return pieces.map((piece) => results.get(piece)!);
}
