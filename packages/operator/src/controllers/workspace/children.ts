/** The kinds a workspace has children of. */
import type { WorkspaceSpec } from '@terrain/api';
import type { ResourceType } from '@terrain/runtime';
import { machineType } from '#controllers/shared/kind.ts';
import { claimType, secretType } from '#platform/core.ts';
import { networkPolicyType } from '#platform/isolation.ts';
import { subnetType, vpcType } from '#platform/kube-ovn.ts';
import { networkType } from '#platform/network.ts';
import { deploymentType, jobType, serviceType } from '#platform/workload.ts';

/** What runs, and goes first. */
export const workloadTypes: readonly ResourceType[] = [deploymentType, jobType, machineType];
/** What the workloads stood on, and goes when none is left. */
export const groundTypes: readonly ResourceType[] = [claimType, networkType, subnetType, vpcType];

export const childTypes: readonly ResourceType[] = [...workloadTypes, ...groundTypes, serviceType, secretType, networkPolicyType];

/** Images the machines of a workspace boot from. */
export const imageNames = ({ vms = [] }: WorkspaceSpec): string[] => [
  ...new Set(vms.map(({ backingVMDiskImage }) => backingVMDiskImage)),
];
