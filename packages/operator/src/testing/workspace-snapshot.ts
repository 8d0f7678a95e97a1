/** What is known about a workspace, for tests of decisions: nothing made yet, and a platform that has everything. */
import type { Workspace, WorkspaceSpec } from '@terrain/api';
import { aWorkspace, stored } from '@terrain/api/testing';
import type { Snapshot, StoredWorkspace } from '#controllers/workspace/snapshot.ts';
import { policyOf } from '#policy/policy.ts';

export const theWorkspace = (spec: WorkspaceSpec, name = 'demo'): StoredWorkspace =>
  stored<Workspace>({ ...aWorkspace(), metadata: { name }, spec });

export function aSnapshot(spec: WorkspaceSpec, change: Partial<Snapshot> = {}): Snapshot {
  return {
    workspace: theWorkspace(spec),
    nowMs: Date.parse('2026-01-15T10:00:00Z'),
    policy: policyOf(new Map()),
    clusterRanges: {},
    namespace: undefined,
    isImageNamespaceThere: true,
    children: new Map(),
    images: new Map(),
    pods: [],
    operatorNamespace: 'sync-operator',
    pullSecrets: new Map(),
    storageClasses: [],
    platform: { hasNetworks: true, hasKubeOvn: true },
    ...change,
  };
}
