/**
 * The roles people get.
 *
 * | role | Template | Instance | Workspace | VMDiskImage, DataSync | VirtualMachine |
 * |---|---|---|---|---|---|
 * | terrain-admin | all | all | all | all | all |
 * | terrain-author | all | read | all | create, read, update, use | all |
 * | terrain-instructor | read | all | read | read, use | read |
 * | terrain-viewer | read | read | read | read | read |
 *
 * A student has no role: students meet the gateway only.
 *
 * How to bind them. Templates and Workspaces are cluster-scoped, so what a role says about them counts in a ClusterRoleBinding only;
 * a RoleBinding gives what it says about the other kinds, in one namespace. An instructor gets terrain-viewer for the cluster, and
 * terrain-instructor in each namespace of the class.
 *
 * Kubernetes' own admin, edit and view grow by the namespaced kinds: whoever has `edit` in a namespace can already run anything there.
 * They do not grow by Templates and Workspaces. In a RoleBinding that would give nothing; in a ClusterRoleBinding it would let
 * cluster-wide editors make namespaces and networks (which is what a Workspace is), a power `edit` does not have.
 */
import { pelotechGroup, workshopGroup } from '#common/keys.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch'];
const all = [...read, ...write, 'delete', 'deletecollection'];
/** Lets a machine boot from an image: asked by the admission policies, not by any request of its own. */
const use = ['use'];

/** Verbs per kind, in the columns of the table above. */
type Grants = {
  readonly template?: readonly string[];
  readonly instance?: readonly string[];
  readonly workspace?: readonly string[];
  readonly image?: readonly string[];
  readonly dataSync?: readonly string[];
  readonly machine?: readonly string[];
};

const resources: Readonly<Record<keyof Grants, { readonly group: string; readonly plural: string }>> = {
  template: { group: workshopGroup, plural: 'workspacetemplates' },
  instance: { group: workshopGroup, plural: 'workspaceinstances' },
  workspace: { group: pelotechGroup, plural: 'workspaces' },
  image: { group: pelotechGroup, plural: 'vmdiskimages' },
  dataSync: { group: pelotechGroup, plural: 'datasyncs' },
  machine: { group: pelotechGroup, plural: 'virtualmachines' },
};

const namespaced = {
  admin: { instance: all, image: [...all, ...use], dataSync: all, machine: all },
  author: { instance: read, image: [...read, ...write, ...use], dataSync: [...read, ...write], machine: all },
  instructor: { instance: all, image: [...read, ...use], dataSync: read, machine: read },
  viewer: { instance: read, image: read, dataSync: read, machine: read },
} as const satisfies Record<string, Grants>;

const roles: Readonly<Record<string, Grants>> = {
  'terrain-admin': { ...namespaced.admin, template: all, workspace: all },
  'terrain-author': { ...namespaced.author, template: all, workspace: all },
  'terrain-instructor': { ...namespaced.instructor, template: read, workspace: read },
  'terrain-viewer': { ...namespaced.viewer, template: read, workspace: read },
};

/** What Kubernetes' own roles grow by. `edit` holds what an author and an instructor may do in their namespaces. */
const aggregated: Readonly<Record<string, Grants>> = {
  admin: namespaced.admin,
  edit: { ...namespaced.author, instance: all },
  view: namespaced.viewer,
};

/** The part of rbac.authorization.k8s.io/v1 that is used here. */
export type ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRole';
  metadata: { name: string; labels?: Record<string, string> };
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
};

function clusterRole(name: string, grants: Grants, labels?: Record<string, string>): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    rules: (Object.keys(resources) as (keyof Grants)[])
      .map((kind) => ({ ...resources[kind], verbs: [...(grants[kind] ?? [])] }))
      .filter(({ verbs }) => verbs.length > 0)
      .map(({ group, plural, verbs }) => ({ apiGroups: [group], resources: [plural], verbs })),
  };
}

/** All roles for people. Their rules are complete as written: nothing but `admin`, `edit` and `view` depends on aggregation. */
export const peopleRoles = (): ClusterRole[] => [
  ...Object.entries(roles).map(([name, grants]) => clusterRole(name, grants)),
  ...Object.entries(aggregated).map(([into, grants]) =>
    clusterRole(`terrain-aggregate-to-${into}`, grants, { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true' }),
  ),
];
