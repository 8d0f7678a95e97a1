/**
 * Objects for tests: the least valid object of each kind, with the fields a test cares about written over it.
 *
 * `aVMDiskImage({ spec: { diskSize: '1Gi' } })` is what a user would send; `stored(...)` adds what the API server would.
 */
import type { ObjectMeta } from '#common/metadata.ts';
import type { DataSync } from '#datasync/schema.ts';
import { hexDigest } from '#hash/digest.ts';
import {
  minimalDataSync,
  minimalVirtualMachine,
  minimalVMDiskImage,
  minimalWorkspace,
  minimalWorkspaceInstance,
  minimalWorkspaceTemplate,
} from '#minimal/manifests.ts';
import type { VirtualMachine } from '#virtualmachine/schema.ts';
import type { VMDiskImage } from '#vmdiskimage/schema.ts';
import type { Workspace } from '#workspace/schema.ts';
import type { WorkspaceInstance } from '#workspaceinstance/schema.ts';
import type { WorkspaceTemplate } from '#workspacetemplate/schema.ts';
import { type Override, override } from './override.ts';

/** A VMDiskImage. */
export const aVMDiskImage = (change: Override<VMDiskImage> = {}): VMDiskImage => override(minimalVMDiskImage, change);

/** A DataSync. */
export const aDataSync = (change: Override<DataSync> = {}): DataSync => override(minimalDataSync, change);

/** A VirtualMachine. */
export const aVirtualMachine = (change: Override<VirtualMachine> = {}): VirtualMachine => override(minimalVirtualMachine, change);

/** A Workspace. */
export const aWorkspace = (change: Override<Workspace> = {}): Workspace => override(minimalWorkspace, change);

/** A WorkspaceTemplate. */
export const aWorkspaceTemplate = (change: Override<WorkspaceTemplate> = {}): WorkspaceTemplate =>
  override(minimalWorkspaceTemplate, change);

/** A WorkspaceInstance. */
export const aWorkspaceInstance = (change: Override<WorkspaceInstance> = {}): WorkspaceInstance =>
  override(minimalWorkspaceInstance, change);

/** Metadata of an object that the API server has accepted. */
export type StoredMeta = ObjectMeta & Required<Pick<ObjectMeta, 'uid' | 'resourceVersion' | 'generation' | 'creationTimestamp'>>;

/** The UID `stored` gives an object: the same for the same kind, namespace and name. */
export function uidOf({ kind, metadata }: { readonly kind: string; readonly metadata: ObjectMeta }): string {
  const hex = hexDigest([kind, metadata.namespace ?? '', metadata.name], 30);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(12, 15)}`, `8${hex.slice(15, 18)}`, hex.slice(18)].join('-');
}

/** An object as the API server would return it right after it was created, unless the test gave it those fields itself. */
export function stored<T extends { readonly kind: string; readonly metadata: ObjectMeta }>(
  object: T,
): T & { metadata: StoredMeta } {
  const metadata = {
    uid: uidOf(object),
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...object.metadata,
  };
  return { ...object, metadata };
}
