import type { KubeObject } from '@terrain/runtime';

/** The programs that turn objects of Kubernetes into calls of the driver. Each is a user of its own. */
export const storagePrograms = ['csi-provisioner', 'csi-snapshotter', 'snapshot-controller', 'csi-resizer'] as const;
export type StorageProgram = (typeof storagePrograms)[number];

type Rule = readonly [group: string, resources: string, verbs: string];

const read = 'get list watch';
const events: Rule = ['', 'events', 'list watch create update patch'];
const snapshots = 'snapshot.storage.k8s.io';

/**
 * What each program may do, after the roles its authors publish, less what is for leader election, secrets, attaching and groups of
 * snapshots: nothing of that is used here. None of them may read a secret, start a pod or change a role.
 */
const rules: Readonly<Record<StorageProgram, readonly Rule[]>> = {
  'csi-provisioner': [
    ['', 'persistentvolumes', `${read} create patch delete`],
    ['', 'persistentvolumeclaims', `${read} update`],
    ['', 'nodes', read],
    ['storage.k8s.io', 'storageclasses csinodes', read],
    [snapshots, 'volumesnapshots volumesnapshotcontents', 'get list'],
    events,
  ],
  'csi-snapshotter': [
    [snapshots, 'volumesnapshotclasses', read],
    [snapshots, 'volumesnapshotcontents', `${read} update patch`],
    [snapshots, 'volumesnapshotcontents/status', 'update patch'],
    events,
  ],
  'snapshot-controller': [
    ['', 'persistentvolumes', read],
    ['', 'persistentvolumeclaims', `${read} update`],
    [snapshots, 'volumesnapshotclasses', read],
    [snapshots, 'volumesnapshotcontents', `${read} create update patch delete`],
    [snapshots, 'volumesnapshotcontents/status', 'patch'],
    [snapshots, 'volumesnapshots', `${read} update patch delete`],
    [snapshots, 'volumesnapshots/status', 'update patch'],
    events,
  ],
  'csi-resizer': [
    ['', 'persistentvolumes', `${read} patch`],
    ['', 'persistentvolumeclaims pods', read],
    ['', 'persistentvolumeclaims/status', 'patch'],
    events,
  ],
};

export function userOf(program: StorageProgram): string {
  return `terrain:${program}`;
}

/** A role and its binding for every program. */
export function storageRights(): KubeObject[] {
  return storagePrograms.flatMap((program) => {
    const metadata = { name: `terrain-${program}` };
    const apiGroup = 'rbac.authorization.k8s.io';
    const apiVersion = `${apiGroup}/v1`;
    const role = {
      apiVersion,
      kind: 'ClusterRole',
      metadata,
      rules: rules[program].map(([group, resources, verbs]) => ({
        apiGroups: [group],
        resources: resources.split(' '),
        verbs: verbs.split(' '),
      })),
    };
    const binding = {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup, kind: 'User', name: userOf(program) }],
    };
    return [role, binding];
  });
}
