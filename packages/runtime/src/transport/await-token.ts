import type { ApiRequest } from './api-transport.ts';
import type { Deadline } from './exchange.ts';
import { NoAnswerError, socketWords } from './no-answer-error.ts';
import type { Token } from './token.ts';

/**
 * Waits for the token of a request, for as long as the request itself may take. Its reading goes on for whoever asks next.
 *
 * Guarantees: ends by the deadline, if there is one, and by the signal, with its reason. A login that fails, or is late, is a NoAnswerError as a
 * server out of reach is: it says nothing about what was asked, and passes in the same way.
 */
export async function awaitToken(token: Token, request: ApiRequest, deadline: Deadline | undefined): Promise<string | undefined> {
  const { signal } = request;
  signal?.throwIfAborted();
  const given = Promise.withResolvers<never>();
  const onAbort = (): void => given.reject(signal?.reason);
  const timed = {
    endsAt: deadline?.endsAt ?? Number.POSITIVE_INFINITY,
    late: () =>
      given.reject(new NoAnswerError(request, lateWords, { isTimeout: true, isWithoutToken: true, cause: deadline?.late() })),
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  deadline?.deadlines.add(timed);
  try {
    return await Promise.race([token.read(), given.promise]);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (error instanceof NoAnswerError) throw error;
    const words = `there is no token to send it with: ${socketWords(error)}`;
    throw new NoAnswerError(request, words, { isWithoutToken: true, cause: error });
  } finally {
    deadline?.deadlines.delete(timed);
    signal?.removeEventListener('abort', onAbort);
  }
}

const lateWords =
  'no token to send it with came in time: see what the login that the kubeconfig names (exec or auth-provider) waits for';
