import type { VirtualMachine, VirtualMachineReason, VMDiskImage } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import { findingsOf, type Finding as SharedFinding } from '#controllers/shared/finding.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim, Secret } from '#platform/core.ts';
import type { KubevirtInstance, KubevirtMachine } from '#platform/kubevirt.ts';

/** A machine as the API server stores it. */
export type StoredMachine = VirtualMachine & {
  readonly metadata: VirtualMachine['metadata'] & {
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
};

/** What one condition says. */
export type Finding = SharedFinding<VirtualMachineReason>;

export const { yes, no, stuck } = findingsOf<VirtualMachineReason>();

export type NamespaceState = 'there' | 'terminating' | 'absent';

/** Everything a decision about one machine rests on, read from the caches at one moment. */
export type Snapshot = {
  readonly machine: StoredMachine;
  /** The API server's clock. */
  readonly nowMs: number;
  /** The image vmDiskImageRef names. */
  readonly image: VMDiskImage | undefined;
  readonly imageNamespace: NamespaceState;
  readonly isNamespaceTerminating: boolean;
  /** Root disks controlled by this machine, by UID: the one it should have, and those of former reset tokens. */
  readonly disks: readonly DataVolume[];
  /** The claim with the name of the root disk it should have. */
  readonly claim: Claim | undefined;
  /** Names, as `namespace/name`, of those snapshots the disks are cloned from that exist. */
  readonly sources: ReadonlySet<string>;
  /** Controlled by this machine, by UID. */
  readonly kubevirt: KubevirtMachine | undefined;
  readonly instance: KubevirtInstance | undefined;
  readonly secret: Secret | undefined;
  /** Those of the networks its interfaces name that exist, by name. */
  readonly networks: ReadonlyMap<string, KubeObject>;
  readonly platform: {
    readonly hasDataVolumes: boolean;
    readonly hasKubevirt: boolean;
    readonly hasNetworks: boolean;
    readonly hasStorageClass: (name: string) => boolean;
    /** Whether volumes of a class can be made larger. */
    readonly canExpand: (storageClass: string) => boolean;
  };
  /** KubeVirt's words about the last start that failed; it shows them for a fraction of a second only. */
  readonly startProblem: string | undefined;
};
