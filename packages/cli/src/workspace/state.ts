/** What the status of a workspace says about the spec it has now. */
import { type Condition, isUnseen, type Workspace, WorkspaceCondition } from '@terrain/api';
import { plain } from '../output/plain.ts';

export type Verdict =
  | { readonly kind: 'ready' }
  /** Nothing more happens until a person does something. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'waiting'; readonly message: string };

/** Whether to go on waiting for a workspace. A status that is older than the spec counts for nothing. */
export function judge({ metadata, status }: Workspace): Verdict {
  if (metadata.deletionTimestamp !== undefined) return { kind: 'failed', message: 'it is being deleted' };
  if (status === undefined || isUnseen({ status })) return { kind: 'waiting', message: 'the operator has not seen it yet' };
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { kind: 'waiting', message: 'the operator has not seen its latest change yet' };
  const isTrue = (type: string): boolean =>
    (status.conditions ?? []).some((condition: Condition) => condition.type === type && condition.status === 'True');
  if (isTrue(WorkspaceCondition.Ready)) return { kind: 'ready' };
  const message = plain(status.message ?? '') || status.phase || 'no word from the operator';
  if (isTrue(WorkspaceCondition.Stalled)) return { kind: 'failed', message };
  return { kind: 'waiting', message: status.ready === undefined ? message : `${status.ready} ready, ${message}` };
}
