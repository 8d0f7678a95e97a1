/**
 * What KubeVirt 1.9.0 says about its kinds in Go code (pkg/virt-operator/resource/generate/components/crds.go) rather than in
 * its generated schemas: groups, names, versions, subresources and columns.
 */
export interface KubeVirtKind {
  readonly kind: string;
  /** Default: the singular with an s. */
  readonly plural?: string;
  /** What goes before `kubevirt.io`; the group itself when absent. */
  readonly group?: string;
  readonly scope?: 'Cluster';
  readonly shortNames?: readonly string[];
  /** Default: listed under `kubectl get all`. */
  readonly isInAll?: false;
  /** The stored version is the one with a star. Default: those of the main group. */
  readonly versions?: readonly string[];
  readonly subresources?: 'status' | 'scale';
  readonly columns?: readonly Column[];
}

/** Name, path, and where they differ from the usual: type (default string) and priority. */
export type Column = readonly [
  name: string,
  jsonPath: string,
  type?: 'string' | 'date' | 'integer' | 'boolean',
  priority?: number,
];

/** v1 is stored; v1alpha3 is served for old clients. */
export const mainVersions = ['v1*', 'v1alpha3'] as const;

const age: Column = ['Age', '.metadata.creationTimestamp', 'date'];
const phase: Column = ['Phase', '.status.phase'];
const replicas: readonly Column[] = [
  ['Desired', '.spec.replicas', 'integer'],
  ['Current', '.status.replicas', 'integer'],
  ['Ready', '.status.readyReplicas', 'integer'],
  age,
];
const source: readonly Column[] = [
  ['SourceKind', '.spec.source.kind'],
  ['SourceName', '.spec.source.name'],
];
const outcome: readonly Column[] = [
  ['ReadyToUse', '.status.readyToUse', 'boolean'],
  ['CreationTime', '.status.creationTime', 'date'],
  ['Error', '.status.error.message'],
];
const condition = (type: string) => `.status.conditions[?(@.type=='${type}')].status`;

/** By singular name, which is also the key of the schema. */
export const kubeVirtKinds: Readonly<Record<string, KubeVirtKind>> = {
  kubevirt: { kind: 'KubeVirt', shortNames: ['kv', 'kvs'], subresources: 'status', columns: [age, phase] },
  virtualmachine: {
    kind: 'VirtualMachine',
    shortNames: ['vm', 'vms'],
    subresources: 'status',
    columns: [age, ['Status', '.status.printableStatus'], ['Ready', condition('Ready')]],
  },
  // No status subresource: KubeVirt writes status with the object itself.
  virtualmachineinstance: {
    kind: 'VirtualMachineInstance',
    shortNames: ['vmi', 'vmis'],
    columns: [
      age,
      phase,
      ['IP', '.status.interfaces[0].ipAddress'],
      ['NodeName', '.status.nodeName'],
      ['Ready', condition('Ready')],
      ['Live-Migratable', condition('LiveMigratable'), 'string', 1],
      ['Paused', condition('Paused'), 'string', 1],
    ],
  },
  // The one kind of the main group that is stored in the old version.
  virtualmachineinstancepreset: {
    kind: 'VirtualMachineInstancePreset',
    shortNames: ['vmipreset', 'vmipresets'],
    versions: ['v1', 'v1alpha3*'],
  },
  virtualmachineinstancereplicaset: {
    kind: 'VirtualMachineInstanceReplicaSet',
    shortNames: ['vmirs', 'vmirss'],
    subresources: 'scale',
    columns: replicas,
  },
  virtualmachineinstancemigration: {
    kind: 'VirtualMachineInstanceMigration',
    shortNames: ['vmim', 'vmims'],
    subresources: 'status',
    columns: [phase, ['VMI', '.spec.vmiName']],
  },
  virtualmachinepool: {
    kind: 'VirtualMachinePool',
    group: 'pool',
    shortNames: ['vmpool', 'vmpools'],
    versions: ['v1alpha1', 'v1beta1*'],
    subresources: 'scale',
    columns: replicas,
  },
  virtualmachinesnapshot: {
    kind: 'VirtualMachineSnapshot',
    group: 'snapshot',
    shortNames: ['vmsnapshot', 'vmsnapshots'],
    versions: ['v1alpha1', 'v1beta1*'],
    subresources: 'status',
    columns: [...source, phase, ...outcome],
  },
  virtualmachinesnapshotcontent: {
    kind: 'VirtualMachineSnapshotContent',
    group: 'snapshot',
    shortNames: ['vmsnapshotcontent', 'vmsnapshotcontents'],
    versions: ['v1alpha1', 'v1beta1*'],
    subresources: 'status',
    columns: outcome,
  },
  virtualmachinerestore: {
    kind: 'VirtualMachineRestore',
    group: 'snapshot',
    shortNames: ['vmrestore', 'vmrestores'],
    versions: ['v1alpha1', 'v1beta1*'],
    subresources: 'status',
    columns: [
      ['TargetKind', '.spec.target.kind'],
      ['TargetName', '.spec.target.name'],
      ['Complete', '.status.complete', 'boolean'],
      ['RestoreTime', '.status.restoreTime', 'date'],
    ],
  },
  virtualmachineexport: {
    kind: 'VirtualMachineExport',
    group: 'export',
    shortNames: ['vmexport', 'vmexports'],
    versions: ['v1beta1', 'v1*'],
    subresources: 'status',
    columns: [...source, phase],
  },
  virtualmachinebackup: {
    kind: 'VirtualMachineBackup',
    group: 'backup',
    shortNames: ['vmbackup', 'vmbackups'],
    versions: ['v1alpha1*'],
    subresources: 'status',
    columns: [...source, ['Type', '.status.type'], ['CheckpointName', '.status.checkpointName']],
  },
  virtualmachinebackuptracker: {
    kind: 'VirtualMachineBackupTracker',
    group: 'backup',
    shortNames: ['vmbackuptracker', 'vmbackuptrackers'],
    versions: ['v1alpha1*'],
    subresources: 'status',
    columns: [
      ...source,
      ['LatestCheckpoint', '.status.latestCheckpoint.name'],
      ['CheckpointTime', '.status.latestCheckpoint.creationTime', 'date'],
    ],
  },
  virtualmachineinstancetype: {
    kind: 'VirtualMachineInstancetype',
    group: 'instancetype',
    shortNames: ['vminstancetype', 'vminstancetypes', 'vmf', 'vmfs'],
    versions: ['v1beta1*'],
  },
  virtualmachineclusterinstancetype: {
    kind: 'VirtualMachineClusterInstancetype',
    group: 'instancetype',
    scope: 'Cluster',
    shortNames: ['vmclusterinstancetype', 'vmclusterinstancetypes', 'vmcf', 'vmcfs'],
    isInAll: false,
    versions: ['v1beta1*'],
  },
  virtualmachinepreference: {
    kind: 'VirtualMachinePreference',
    group: 'instancetype',
    shortNames: ['vmpref', 'vmprefs', 'vmp', 'vmps'],
    versions: ['v1beta1*'],
  },
  virtualmachineclusterpreference: {
    kind: 'VirtualMachineClusterPreference',
    group: 'instancetype',
    scope: 'Cluster',
    shortNames: ['vmcp', 'vmcps'],
    isInAll: false,
    versions: ['v1beta1*'],
  },
  migrationpolicy: {
    kind: 'MigrationPolicy',
    plural: 'migrationpolicies',
    group: 'migrations',
    scope: 'Cluster',
    isInAll: false,
    versions: ['v1alpha1*'],
    subresources: 'status',
  },
  virtualmachineclone: {
    kind: 'VirtualMachineClone',
    group: 'clone',
    shortNames: ['vmclone', 'vmclones'],
    versions: ['v1alpha1', 'v1beta1*'],
    subresources: 'status',
    columns: [phase, ['SourceVirtualMachine', '.spec.source.name'], ['TargetVirtualMachine', '.spec.target.name']],
  },
  plugin: { kind: 'Plugin', group: 'plugin', scope: 'Cluster', isInAll: false, versions: ['v1alpha1*'] },
};

/** Schemas in the same file that belong to no kind: parts of others. */
export const helperSchemas: readonly string[] = ['datavolumetemplatespec'];
