/** What it means that the API server would not take an object of ours. */
import { ApiError, ForeignObjectError, type Refusal, refusalOf } from '@terrain/runtime';
import { type Failure, shorten } from './failure.ts';

/** Name of the policy that asks the ledger before a download may start. */
const slotPolicy = /ValidatingAdmissionPolicy 'terrain-datavolume-slot'/;

/** The API server asked a webhook about the object and got no answer. It asks before it stores, so nothing was. */
const unansweredWebhook = /^Internal error occurred: (failed calling webhook "[^"]+": .*)$/s;

/** What the API server said, without the request it answered. */
export const serverWords = ({ message }: Error): string => message.replace(/^[A-Z]+ \S+: /, '');

const lasting: ReadonlySet<Refusal | undefined> = new Set<Refusal>(['policy', 'quota', 'rights', 'manifest']);

/** Whether it is for a person to change that, and no matter of time or of another look. */
export const isLasting = (refusal: Refusal | undefined): boolean => lasting.has(refusal);

/** Does something to what exists already. The API server's words, if it refused; what passes by itself is thrown, to be tried again soon. */
export async function wordsIfRefused(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isLasting(refusalOf(error))) return shorten(serverWords(error));
    const unanswered = unansweredWords(error);
    if (unanswered === undefined) throw error;
    return shorten(unanswered);
  }
}

/** So often what is refused is tried again. */
export const refusedMs = 30_000;

/**
 * Why a create was refused. `slot`: the ledger as the API server sees it has no open entry; it may be some milliseconds behind, so
 * try again. Undefined: not a refusal but a fault (a conflict, an overloaded server, no answer): the caller passes it on.
 */
export function judgeRefusal(error: unknown): Failure | 'slot' | undefined {
  if (error instanceof ForeignObjectError) return refusedFor(takenWords(error));
  if (!(error instanceof ApiError)) return undefined;
  if (slotPolicy.test(error.message)) return 'slot';
  const message = shorten(serverWords(error));
  const unanswered = unansweredWords(error);
  if (unanswered !== undefined) return awaitedWebhook(unanswered);
  switch (refusalOf(error)) {
    case 'policy':
    case 'manifest':
      return refusedFor(message);
    case 'quota':
      return { class: 'wait', reason: 'QuotaExceeded', message };
    case 'terminating':
    case 'rights':
      return { class: 'wait', reason: 'RefusedByPlatform', message };
    case 'missing':
      return { class: 'wait', reason: 'PlatformMissing', message };
    default:
      return undefined;
  }
}

const unansweredWords = (error: ApiError): string | undefined =>
  error.reason === 'InternalError' ? unansweredWebhook.exec(serverWords(error))?.[1] : undefined;

/** It is away for as long as it takes somebody to bring it back: longer than a slot may be held for nothing. */
const awaitedWebhook = (words: string): Failure => ({
  class: 'wait',
  reason: 'RefusedByPlatform',
  message: `${shorten(words)}; nothing was created: see that what serves this webhook runs`,
});

/** Whose the name is, and whether it stands in the way: each attempt has a DataVolume of another name, a snapshot keeps its own. */
function takenWords({ message, object }: ForeignObjectError): string {
  const [whose = message] = message.split('; ');
  return object.kind === 'DataVolume'
    ? `${whose}; it is left alone, and the next attempt takes another name`
    : `${whose}; delete or rename it`;
}

/** What only a person can change. */
export const refusedFor = (message: string): Failure => ({
  class: 'permanent',
  reason: 'RefusedByPlatform',
  message: shorten(message),
});
