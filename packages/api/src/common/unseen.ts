import type { Condition } from './condition.ts';

const message =
  'the operator has said nothing about it yet, which takes up to a minute where many objects are new; if it lasts longer, see that the operator runs';

const ready: Condition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'NotSeenYet',
  message,
  // There has been no transition; every kind of condition must name a time.
  lastTransitionTime: '1970-01-01T00:00:00Z',
};

/** What the API server by itself shows of an object that nobody has looked at: no object is ever without a word, and the first costs no write. */
export const unseenStatus = { message, conditions: [ready] };

/** Whether the operator has yet to say its first word about an object. */
export const isUnseen = ({ status }: { readonly status?: { readonly observedGeneration?: number } | undefined }): boolean =>
  status?.observedGeneration === undefined;
