/** What it means that the API server would not take an object of ours. */
import { ApiError, ForeignObjectError, refusalOf } from '@terrain/runtime';
import { type Failure, shorten } from './failure.ts';

/** Name of the policy that asks the ledger before a download may start. */
const slotPolicy = /ValidatingAdmissionPolicy 'terrain-datavolume-slot'/;

/**
 * Why a create was refused. `slot`: the ledger as the API server sees it has no open entry; it may be some milliseconds behind, so
 * try again. Undefined: not a refusal but a fault (a conflict, an overloaded server, no answer): the caller passes it on.
 */
export function judgeRefusal(error: unknown): Failure | 'slot' | undefined {
  if (error instanceof ForeignObjectError) return refusedFor(error.message);
  if (!(error instanceof ApiError)) return undefined;
  if (slotPolicy.test(error.message)) return 'slot';
  const message = shorten(error.message.replace(/^[A-Z]+ \S+: /, ''));
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

/** What only a person can change. */
export const refusedFor = (message: string): Failure => ({
  class: 'permanent',
  reason: 'RefusedByPlatform',
  message: shorten(message),
});
