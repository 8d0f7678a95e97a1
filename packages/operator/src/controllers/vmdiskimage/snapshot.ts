import type { LedgerEntry, VMDiskImage } from '@terrain/api';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim, StorageClass } from '#platform/core.ts';
import type { Failure } from '#platform/failure.ts';
import type { VolumeSnapshot, VolumeSnapshotClass } from '#platform/snapshot.ts';
import type { Policy } from '#policy/policy.ts';

/** An image as the API server stores it. */
export type StoredImage = VMDiskImage & {
  readonly metadata: VMDiskImage['metadata'] & {
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
};

/** What is known of the Secret or ConfigMap a download needs. Reading one takes a request, so at first nothing is. */
export type Need =
  | 'none'
  | 'unknown'
  | 'met'
  | {
      readonly reason: 'SecretMissing' | 'SecretInvalid' | 'CertConfigMapMissing';
      readonly message: string;
      /** Read again after this time, where no watch can be trusted to tell. */
      readonly afterMs?: number;
    };

/** Virtual machines that refer to an image. */
export type References = {
  readonly count: number;
  /** Up to three, as `namespace/name`, in order. */
  readonly names: readonly string[];
  /** The version of VirtualMachines this was counted up to. */
  readonly asOf: string;
  /** Newest version of a machine that has no root disk yet: it starts only once the image says it was counted up to there. */
  readonly waiting: string | undefined;
};

/** The slot of an image, as far as the ledger can be read. */
export type Slot =
  | { readonly ledger: 'readable'; readonly entry: LedgerEntry | undefined; readonly limit: number }
  | { readonly ledger: 'unreadable'; readonly message: string };

/** What this process remembers of an attempt and nobody else knows. */
export type Memory = {
  /** UID of the attempt's DataVolume, once created or seen. */
  readonly dataVolumeUid?: string;
  /** When it last made progress. */
  readonly progressedAtMs?: number;
  /** Since when there has been any progress to tell. */
  readonly movingSinceMs?: number;
  /** Importers of it that CDI replaced because they were killed for their memory, also those that the status counts. */
  readonly kills?: number;
  /** How often its progress fell back towards 0, also as the status counts. */
  readonly falls?: number;
  /** The last failure its DataVolume showed. */
  readonly failure?: Failure;
  /** What keeps the slot of an attempt that is over from being given back, and since when it is known to. */
  readonly slotHolder?: { readonly attempt: number; readonly what: string; readonly sinceMs: number };
};

/** Everything a decision about one image rests on, read at one moment. */
export type Snapshot = {
  readonly image: StoredImage;
  /** The API server's clock. */
  readonly nowMs: number;
  readonly policy: Policy;
  readonly slot: Slot;
  /** Controlled by this image, by UID. */
  readonly dataVolumes: readonly DataVolume[];
  /** Claims of these DataVolumes, by name. */
  readonly claims: ReadonlyMap<string, Claim>;
  /** Controlled by this image, by UID. */
  readonly snapshots: readonly VolumeSnapshot[];
  /** Names of snapshots that root disks are being cloned from at this moment. */
  readonly cloning: ReadonlySet<string>;
  readonly platform: {
    readonly hasDataVolumes: boolean;
    readonly hasSnapshots: boolean;
    readonly storageClasses: readonly StorageClass[];
    readonly snapshotClasses: readonly VolumeSnapshotClass[];
  };
  readonly secret: Need;
  readonly certConfigMap: Need;
  readonly references: References;
  readonly namespace: {
    readonly isTerminating: boolean;
    readonly isMarkedInUse: boolean;
    /** Undefined where the cache does not know it. */
    readonly version?: string | undefined;
  };
  readonly memory: Memory;
  /** What the importer said when it last ended; read only where a failure has no other cause. */
  readonly importerWords?: string;
};

export const keyOfImage = ({ metadata }: StoredImage): string => `${metadata.namespace}/${metadata.name}`;

/** The instant a text stands for; undefined when it stands for none. */
export function instantMs(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

export const toInstant = (ms: number): string => new Date(ms).toISOString();
