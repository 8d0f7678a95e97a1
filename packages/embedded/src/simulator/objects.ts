/** The parts of other projects' kinds that the simulator reads or writes. */
import type { KubeObject, ObjectMeta } from '@terrain/runtime';

export interface NamedMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
}

/** An object the API server gave us, so its name and UID are there. */
export interface Stored extends KubeObject {
  readonly metadata: NamedMeta;
}

export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  readonly dataSource?: TypedReference;
  readonly dataSourceRef?: TypedReference;
}

export interface Claim extends Stored {
  readonly spec: ClaimSpec;
  readonly status?: { readonly phase?: string; readonly capacity?: Readonly<Record<string, string>> };
}

export interface Volume extends Stored {
  readonly spec: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

export interface StorageClass extends Stored {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly allowVolumeExpansion?: boolean;
}

export interface Pod extends Stored {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: Readonly<Record<string, { readonly reason?: string; readonly message?: string }>>;
    }[];
  };
}

export interface Secret extends Stored {
  readonly data?: Readonly<Record<string, string>>;
}

export interface SourceWithUrl {
  readonly url: string;
  readonly secretRef?: string;
  readonly certConfigMap?: string;
  readonly checksum?: string;
}

export interface DataVolumeSource {
  readonly http?: SourceWithUrl;
  readonly s3?: SourceWithUrl;
  readonly gcs?: SourceWithUrl;
  readonly registry?: Partial<SourceWithUrl>;
  readonly blank?: Readonly<Record<string, never>>;
  readonly snapshot?: { readonly namespace?: string; readonly name: string };
}

export interface DataVolumeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
}

export interface DataVolumeStatus {
  readonly claimName?: string;
  readonly phase?: string;
  readonly progress?: string;
  readonly restartCount?: number;
  readonly conditions?: readonly DataVolumeCondition[];
}

export interface DataVolume extends Stored {
  readonly spec: {
    readonly source?: DataVolumeSource;
    readonly storage?: ClaimSpec;
    readonly pvc?: ClaimSpec;
    readonly contentType?: string;
    readonly priorityClassName?: string;
  };
  readonly status?: DataVolumeStatus;
}

export interface SnapshotStatus {
  readonly boundVolumeSnapshotContentName?: string;
  readonly creationTime?: string;
  readonly readyToUse?: boolean;
  readonly restoreSize?: string;
  readonly error?: { readonly time?: string; readonly message?: string };
}

export interface VolumeSnapshot extends Stored {
  readonly spec: {
    readonly volumeSnapshotClassName?: string;
    readonly source: { readonly persistentVolumeClaimName?: string; readonly volumeSnapshotContentName?: string };
  };
  readonly status?: SnapshotStatus;
}

export interface VolumeSnapshotContent extends Stored {
  readonly spec: {
    readonly deletionPolicy: string;
    readonly driver: string;
    readonly volumeSnapshotRef: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
  };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly restoreSize?: number;
    readonly creationTime?: number;
    readonly snapshotHandle?: string;
    readonly error?: { readonly time?: string; readonly message?: string };
  };
}

export interface VolumeSnapshotClass extends Stored {
  readonly driver: string;
  readonly deletionPolicy: string;
}

export interface MachineCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
}

export interface MachineVolume {
  readonly name: string;
  readonly dataVolume?: { readonly name: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly cloudInitNoCloud?: CloudInit;
  readonly cloudInitConfigDrive?: CloudInit;
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
  readonly configMap?: { readonly name?: string; readonly optional?: boolean };
}

export interface CloudInit {
  readonly secretRef?: { readonly name: string };
  readonly networkDataSecretRef?: { readonly name: string };
  readonly networkData?: string;
}

export interface InstanceSpec {
  readonly domain?: {
    readonly memory?: { readonly guest?: string };
    readonly devices?: { readonly interfaces?: readonly { readonly name: string; readonly macAddress?: string }[] };
  };
  readonly networks?: readonly {
    readonly name: string;
    readonly pod?: unknown;
    readonly multus?: { readonly networkName: string };
  }[];
  readonly volumes?: readonly MachineVolume[];
  readonly terminationGracePeriodSeconds?: number;
  readonly readinessProbe?: { readonly guestAgentPing?: unknown; readonly tcpSocket?: unknown };
}

export interface StateChangeRequest {
  readonly action: string;
  readonly uid?: string;
}

export interface MachineStatus {
  readonly printableStatus?: string;
  readonly created?: boolean;
  readonly ready?: boolean;
  readonly runStrategy?: string;
  readonly conditions?: readonly MachineCondition[];
  readonly stateChangeRequests?: readonly StateChangeRequest[];
  readonly startFailure?: {
    readonly consecutiveFailCount?: number;
    readonly lastFailedVMIUID?: string;
    readonly retryAfterTimestamp?: string;
  };
  readonly observedGeneration?: number;
  readonly desiredGeneration?: number;
}

export interface DataVolumeTemplate {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: DataVolume['spec'];
}

export interface Machine extends Stored {
  readonly spec: {
    readonly running?: boolean;
    readonly runStrategy?: string;
    readonly dataVolumeTemplates?: readonly DataVolumeTemplate[];
    readonly template: { readonly metadata?: ObjectMeta; readonly spec: InstanceSpec };
  };
  readonly status?: MachineStatus;
}

export interface NetworkInterfaceStatus {
  readonly name: string;
  readonly mac?: string;
  readonly ipAddress?: string;
  readonly ipAddresses?: readonly string[];
  readonly interfaceName?: string;
  readonly infoSource?: string;
  readonly queueCount?: number;
}

export interface InstanceStatus {
  readonly phase?: string;
  readonly nodeName?: string;
  readonly conditions?: readonly MachineCondition[];
  readonly interfaces?: readonly NetworkInterfaceStatus[];
  readonly guestOSInfo?: Readonly<Record<string, string>>;
  readonly phaseTransitionTimestamps?: readonly { readonly phase: string; readonly phaseTransitionTimestamp: string }[];
}

export interface Instance extends Stored {
  readonly spec: InstanceSpec;
  readonly status?: InstanceStatus;
}
