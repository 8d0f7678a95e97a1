/** What keeps a workspace from going away, in words. */
import { finalizers, isUnseen, type Workspace } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import { plain } from '../output/plain.ts';

export interface NamespaceObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export interface Left {
  readonly workspace: Workspace | undefined;
  readonly namespace: NamespaceObject | undefined;
  /** What is in the namespace. */
  readonly objects: readonly KubeObject[];
}

const most = 3;

/** The object and the finalizer that block, by name; else what the object itself says; else who has to act. */
export function blockersOf({ workspace, namespace, objects }: Left): string {
  const held = objects
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length > 0)
    .map(({ kind, metadata }) => `${kind} ${metadata.name} is held by finalizer ${metadata.finalizers?.join(', ')}`);
  const foreign = (workspace?.metadata.finalizers ?? []).filter((one) => one !== finalizers.pelotechCleanup);
  const told = workspace === undefined || isUnseen(workspace) ? '' : plain(workspace.status?.message ?? '');
  const words = [
    ...(foreign.length === 0 ? [] : [`the workspace is held by finalizer ${foreign.join(', ')}`]),
    ...held.slice(0, most),
    ...(held.length > most ? [`and ${held.length - most} more`] : []),
  ];
  if (words.length > 0) return words.join('; ');
  if (workspace !== undefined) {
    if (told !== '' && workspace.metadata.deletionTimestamp !== undefined) return told;
    return `the operator has not removed its finalizer ${finalizers.pelotechCleanup} yet; if this lasts, look whether it runs`;
  }
  const name = namespace?.metadata.name;
  if (namespace?.metadata.deletionTimestamp === undefined)
    return `namespace ${name} is still there, and nobody deletes it; if this lasts, look whether the operator runs`;
  const conditions = namespace.status?.conditions ?? [];
  const reasons = conditions.flatMap(({ status, message }) =>
    status === 'True' && message !== undefined ? [plain(message)] : [],
  );
  return `namespace ${name} is ending${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`;
}
