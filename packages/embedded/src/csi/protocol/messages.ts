/** The parts of CSI's messages that are set or read here, as the loader gives them: camel case, numbers for int64, names for enums. */

export interface CapacityRange {
  readonly requiredBytes: number;
  readonly limitBytes: number;
}

export interface VolumeCapability {
  readonly block?: object | null;
  readonly mount?: { readonly fsType?: string; readonly mountFlags?: readonly string[] } | null;
  readonly accessMode?: { readonly mode: string } | null;
}

export interface ContentSource {
  readonly snapshot?: { readonly snapshotId: string } | null;
  readonly volume?: { readonly volumeId: string } | null;
}

export interface VolumeMessage {
  readonly volumeId: string;
  readonly capacityBytes: number;
  readonly contentSource: ContentSource | null;
}

export interface SnapshotMessage {
  readonly snapshotId: string;
  readonly sourceVolumeId: string;
  readonly sizeBytes: number;
  readonly creationTime: { readonly seconds: number; readonly nanos: number };
  readonly readyToUse: boolean;
}

export interface CreateVolumeRequest {
  readonly name: string;
  readonly capacityRange: CapacityRange | null;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly volumeContentSource: ContentSource | null;
}

export interface ValidateCapabilitiesRequest {
  readonly volumeId: string;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ListRequest {
  readonly maxEntries: number;
  readonly startingToken: string;
}

export interface ListSnapshotsRequest extends ListRequest {
  readonly sourceVolumeId: string;
  readonly snapshotId: string;
}

export interface GetCapacityRequest {
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: Readonly<Record<string, string>>;
}

export interface CreateSnapshotRequest {
  readonly name: string;
  readonly sourceVolumeId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ExpandVolumeRequest {
  readonly volumeId: string;
  readonly capacityRange: CapacityRange | null;
}

export interface StageRequest {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly volumeCapability: VolumeCapability | null;
}

export interface PublishRequest extends StageRequest {
  readonly targetPath: string;
  readonly readonly: boolean;
}

export interface UnpublishRequest {
  readonly volumeId: string;
  readonly targetPath: string;
}

export interface UnstageRequest {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
}

export interface VolumePathRequest {
  readonly volumeId: string;
  readonly volumePath: string;
}
