/** The group of the kinds for disk images, machines and labs. */
export const pelotechGroup = 'pelotech.ot';
/** The group of the kinds for workshops. */
export const workshopGroup = 'workshop.platform';
/** The only version served today. */
export const apiVersionName = 'v1alpha1';
/** `apiVersion` of VMDiskImage, DataSync, VirtualMachine and Workspace. */
export const pelotechApiVersion = `${pelotechGroup}/${apiVersionName}` as const;
/** `apiVersion` of WorkspaceTemplate and WorkspaceInstance. */
export const workshopApiVersion = `${workshopGroup}/${apiVersionName}` as const;
/** `kubectl get terrain` lists all kinds. */
export const category = 'terrain';

/** Annotations people and controllers put on objects. */
export const annotations = {
  /** "true" stops all changes the operator would make for one object. */
  paused: 'pelotech.ot/paused',
  /** Any new value gives a disk image that was given up another set of attempts. */
  retry: 'pelotech.ot/retry',
  /** Any value ends a running download and gives the image up. */
  cancel: 'pelotech.ot/cancel',
  /** On a NetworkAttachmentDefinition, JSON with cidr, routes, nameservers and gateway: feeds the guest's network data. */
  network: 'pelotech.ot/network',
} as const;

/** Labels on objects the operator makes. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  /** `<kind>.<namespace>.<name>`-style origin of an object that has no owner reference, such as an image made from a template. */
  createdBy: 'pelotech.ot/created-by',
  /** Name of the VMDiskImage a DataVolume or VolumeSnapshot belongs to. */
  image: 'pelotech.ot/image',
  /** Number of the attempt a DataVolume belongs to. */
  attempt: 'pelotech.ot/attempt',
  /** Hash of the source a DataVolume was downloaded from. */
  sourceHash: 'pelotech.ot/source-hash',
  /** On a namespace: it holds disk images in use, so deleting it is refused. */
  imagesInUse: 'pelotech.ot/images-in-use',
  dataSync: 'pelotech.ot/datasync',
  workspaceId: 'pelotech.ot/workspace-id',
  workspaceVersion: 'pelotech.ot/workspace-version',
  /** Name of the Workspace an object belongs to. */
  workspace: 'pelotech.ot/workspace',
  virtualMachine: 'pelotech.ot/virtualmachine',
  vmName: 'pelotech.ot/vm-name',
  vmVersion: 'pelotech.ot/vm-version',
  baseVm: 'pelotech.ot/base-vm',
  baseVmVersion: 'pelotech.ot/base-vm-version',
  /** Roles the image of a machine was built with, for the image pipeline. */
  buildRoles: 'pelotech.ot/build-roles',
  /** On pods: the Job that applies the deploy roles. */
  deployJob: 'pelotech.ot/deploy-job',
  containerCluster: 'pelotech.ot/container-cluster',
  /** Name of the WorkspaceInstance an object belongs to. */
  instance: 'workshop.platform/instance',
  template: 'workshop.platform/template',
  owner: 'workshop.platform/owner',
  /** "true" on a namespace: it was made for one instance and is deleted with it. */
  instanceNamespace: 'workshop.platform/instance-namespace',
} as const;

/** Finalizers the operator sets and removes. */
export const finalizers = {
  pelotechCleanup: 'pelotech.ot/cleanup',
  workshopCleanup: 'workshop.platform/cleanup',
  /** On a VMDiskImage while VirtualMachines refer to it. */
  imageInUse: 'pelotech.ot/in-use',
} as const;

/** Value of `app.kubernetes.io/managed-by`, and the field manager of everything the operator applies. */
export const managerName = 'terrain';
