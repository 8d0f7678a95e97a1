/** What is left of a pruning that was shown to a person, when it comes to deleting: they may have thought for long. */
import type { Candidate, Pruned, PrunePlan } from './prune.ts';

export interface SecondLook {
  /** To be deleted, in the version of now. */
  readonly going: readonly Candidate[];
  /** Shown, and not to be deleted any more. */
  readonly dropped: readonly Pruned[];
}

/**
 * Holds a new plan against what a person agreed to.
 *
 * Guarantees: only what was shown goes, known by its UID and never by its name; each that was shown either goes or is dropped with what became of it.
 * Caveats: one that somebody else has begun to delete counts as gone already, as it counts as deleted when we have begun.
 */
export function judgeAgain(shown: readonly Candidate[], { going, kept }: PrunePlan): SecondLook {
  const candidates = new Map(going.map((candidate) => [candidate.image.metadata.uid, candidate]));
  const reasons = new Map(kept.map(({ image, why }) => [image.metadata.uid, why]));
  const isDropped = ({ image }: Candidate): boolean => !candidates.has(image.metadata.uid);
  return {
    going: shown.flatMap(({ image }) => candidates.get(image.metadata.uid) ?? []),
    dropped: shown.filter(isDropped).map((candidate) => {
      const why = reasons.get(candidate.image.metadata.uid);
      return why === undefined ? { candidate, isGoneAlready: true } : { candidate, problem: `${why}.` };
    }),
  };
}
