/** A part of a timeline during which one thing is to be seen. */
export interface Stretch<M> {
  readonly lengthMs: number;
  readonly moment: M;
}

/** Where on a timeline somebody is. */
export interface Position<S> {
  readonly stretch: S;
  /** Which stretch it is, counted from 0; those of no length are not counted. */
  readonly step: number;
  readonly beginMs: number;
  readonly endMs: number;
  /** How far into the stretch. */
  readonly insideMs: number;
  /** True when the time is past this stretch, but it has not been shown yet: the clock is to be set back to its beginning. */
  readonly isLate: boolean;
}

/**
 * The stretch at an offset, but none beyond `atMostStep`: a simulator that was busy or stopped goes on with what it had not shown yet. Nothing
 * is skipped, so what a controller gets to see depends neither on the machine's load nor on restarts.
 *
 * Assumptions: the last stretch never ends. `onPassed` is told of the stretches before.
 */
export function positionAt<S extends Stretch<unknown>>(
  stretches: Iterable<S>,
  offsetMs: number,
  atMostStep = Number.POSITIVE_INFINITY,
  onPassed: (stretch: S) => void = () => undefined,
): Position<S> {
  let beginMs = 0;
  let step = 0;
  for (const stretch of stretches) {
    if (stretch.lengthMs === 0) {
      onPassed(stretch);
      continue;
    }
    const endMs = beginMs + stretch.lengthMs;
    const isHere = offsetMs < endMs || endMs === Number.POSITIVE_INFINITY;
    if (isHere) return { stretch, step, beginMs, endMs, insideMs: Math.max(0, offsetMs - beginMs), isLate: false };
    if (step === atMostStep) return { stretch, step, beginMs, endMs, insideMs: 0, isLate: true };
    onPassed(stretch);
    beginMs = endMs;
    step++;
  }
  throw new Error('a timeline must not end');
}
