/** What the API server would not take, in the words of a condition. */
import { ForeignObjectError, refusalOf } from '@terrain/runtime';
import { shorten } from '#platform/failure.ts';
import { serverWords } from '#platform/refusal.ts';
import { type Finding, findingsOf } from './finding.ts';

export interface BlockerOptions<Reason extends string> {
  /** What is found when the name belongs to somebody else; undefined: that is thrown on. */
  readonly taken?: Finding<Reason>;
  /** The reason when the namespace is being deleted. */
  readonly terminating: Reason;
  /** False keeps the server's words out of the status: they may quote what is secret. */
  readonly words?: boolean;
}

/** Why an object could not be made; errors that are no refusal are thrown on. */
export function blockerOf<Reason extends string>(
  error: unknown,
  what: string,
  { taken, terminating, words = true }: BlockerOptions<Reason>,
): Finding<Reason | 'RefusedByPlatform' | 'QuotaExceeded' | 'PlatformMissing'> {
  const { no, stuck } = findingsOf<Reason | 'RefusedByPlatform' | 'QuotaExceeded' | 'PlatformMissing'>();
  if (error instanceof ForeignObjectError && taken !== undefined) return taken;
  const told = words ? shorten(serverWords(error as Error)) : 'its words are in the log';
  switch (refusalOf(error)) {
    case 'policy':
    case 'manifest':
      return stuck('RefusedByPlatform', `${what} is refused: ${told}`);
    case 'rights':
      return no('RefusedByPlatform', `${what} is refused: ${told}`);
    case 'quota':
      return no('QuotaExceeded', `there is no room for ${what}: ${told}`);
    case 'terminating':
      return no(terminating, `${what} cannot be made: its namespace is being deleted`);
    case 'missing':
      return no('PlatformMissing', `${what} cannot be made: its namespace or its kind does not exist (${told})`);
    default:
      throw error;
  }
}
