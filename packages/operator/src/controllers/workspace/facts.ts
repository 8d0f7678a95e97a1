/** Plain facts about a workspace, on which several decisions rest. */
import { createHash } from 'node:crypto';
import {
  annotations,
  labels,
  labelValue,
  managerName,
  pelotechApiVersion,
  type WorkspaceVM,
  workspaceNamespace,
} from '@terrain/api';
import { controllerReference, controllerUid, type OwnerReference } from '@terrain/runtime';
import type { Snapshot, StoredWorkspace } from './snapshot.ts';

export const isPaused = ({ metadata }: StoredWorkspace): boolean => metadata.annotations?.[annotations.paused] === 'true';

/** Whether the whole workspace should run. */
export const isWantedRunning = ({ spec }: StoredWorkspace): boolean => spec.powerState !== 'Stopped';

export const namespaceOf = ({ metadata }: StoredWorkspace): string => workspaceNamespace(metadata.name);

/** Whether the namespace was made for this very workspace. */
export const isOwnNamespace = ({ namespace, workspace }: Snapshot): boolean =>
  namespace !== undefined && controllerUid(namespace) === workspace.metadata.uid;

/** On everything made for a workspace; by these its children are found and watched. */
export const ownLabels = ({ metadata }: StoredWorkspace): Record<string, string> => ({
  [labels.managedBy]: managerName,
  [labels.workspace]: labelValue(metadata.name),
});

export const ownerOf = (workspace: StoredWorkspace): OwnerReference =>
  controllerReference({ ...workspace, apiVersion: pelotechApiVersion, kind: 'Workspace' });

/** The size of a machine's root disk; the two fields mean the same. */
export const diskSizeOf = ({ diskSize, resources }: WorkspaceVM): string | number | undefined => diskSize ?? resources.diskSize;

/** Of JSON; the order of keys does not matter. */
export function hash(value: unknown): string {
  const sorted = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(sorted).digest('hex');
}
