/**
 * The least one has to write for each kind. The reference shows them, and the builders for tests start from them, so what a newcomer
 * copies is what the tests run with.
 */
import { pelotechApiVersion, workshopApiVersion } from '#common/keys.ts';
import type { DataSync } from '#datasync/schema.ts';
import type { VirtualMachine } from '#virtualmachine/schema.ts';
import type { VMDiskImage } from '#vmdiskimage/schema.ts';
import type { Workspace } from '#workspace/schema.ts';
import type { WorkspaceInstance } from '#workspaceinstance/schema.ts';
import type { WorkspaceTemplate } from '#workspacetemplate/schema.ts';

/** A public image; the classes are the defaults of the cluster. */
export const minimalVMDiskImage: VMDiskImage = {
  apiVersion: pelotechApiVersion,
  kind: 'VMDiskImage',
  metadata: { name: 'debian', namespace: 'vmdi-farm' },
  spec: { sourceType: 'http', url: 'https://images.example.com/debian.qcow2', diskSize: '10Gi' },
};

/** One image; its size is the default of the sync policy. */
export const minimalDataSync: DataSync = {
  apiVersion: pelotechApiVersion,
  kind: 'DataSync',
  metadata: { name: 'lab-7', namespace: 'vmdi-farm' },
  spec: {
    workspaceId: 'lab-7',
    vms: [{ name: 'debian', sourceType: 'http', url: 'https://images.example.com/debian.qcow2' }],
  },
};

/** A machine on the pod network. */
export const minimalVirtualMachine: VirtualMachine = {
  apiVersion: pelotechApiVersion,
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'lab-7' },
  spec: { resources: { cpu: '1', memory: '1Gi' }, vmDiskImageRef: { name: 'debian', namespace: 'vmdi-farm' } },
};

/** A machine on a network of its own. */
export const minimalWorkspace: Workspace = {
  apiVersion: pelotechApiVersion,
  kind: 'Workspace',
  metadata: { name: 'lab-7' },
  spec: {
    vms: [
      {
        name: 'web',
        backingVMDiskImage: 'debian',
        resources: { cpu: '1', memory: '1Gi' },
        interfaces: [{ network: 'lan', ipAddress: '10.10.0.10/24' }],
      },
    ],
    networks: [{ name: 'lan', cidr: '10.10.0.0/24' }],
  },
};

/** One step. */
export const minimalWorkspaceTemplate: WorkspaceTemplate = {
  apiVersion: workshopApiVersion,
  kind: 'WorkspaceTemplate',
  metadata: { name: 'kubernetes-101' },
  spec: { steps: [{ id: 'intro', imageTag: 'registry.example.com/kubernetes-101:intro' }] },
};

/** A student of that workshop. */
export const minimalWorkspaceInstance: WorkspaceInstance = {
  apiVersion: workshopApiVersion,
  kind: 'WorkspaceInstance',
  metadata: { name: 'ada', namespace: 'ws-kubernetes-101-ada' },
  spec: { templateRef: { name: 'kubernetes-101' }, owner: 'ada' },
};

/** One for each kind. */
export const minimalManifests = [
  minimalVMDiskImage,
  minimalDataSync,
  minimalVirtualMachine,
  minimalWorkspace,
  minimalWorkspaceTemplate,
  minimalWorkspaceInstance,
] as const;
