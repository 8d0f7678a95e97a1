import { ApiError, NoAnswerError } from '@terrain/runtime';
import { CommandError } from '../output/exit.ts';
import { plain } from '../output/plain.ts';

/** Which cluster was asked, and what to do when it does not answer. */
export interface Target {
  readonly server: string;
  readonly whenSilent: string;
}

/** Turns an API server's refusal, or its silence, into one sentence; anything else is left as it is. */
export function explain(error: unknown, { server, whenSilent }: Target): unknown {
  if (error instanceof NoAnswerError && error.isWithoutToken)
    return new CommandError(`cannot sign in to ${server} (${wordsOf(error)}); sign in again, or give another --kubeconfig.`);
  if (error instanceof NoAnswerError) return new CommandError(`${server} does not answer (${wordsOf(error)}); ${whenSilent}.`);
  if (!(error instanceof ApiError)) return error;
  if (error.code === 401)
    return new CommandError(`${server} does not know these credentials; sign in again, or give another --kubeconfig.`);
  if (error.code === 403) return new CommandError(`not allowed: ${wordsOf(error)}`);
  // Without a reason it is not an object that is missing but its kind.
  if (error.code === 404 && error.reason !== 'NotFound')
    return new CommandError(`${server} does not have Terrain's kinds; install Terrain there first.`);
  return new CommandError(`${server} refuses: ${wordsOf(error)}`);
}

/** Without the method and the path, which say nothing to a person. */
export function wordsOf({ message }: Error): string {
  return plain(message.replace(/^[A-Z]+ \/\S*: /, ''));
}
