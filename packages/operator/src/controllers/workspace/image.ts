/** The disk images of a workspace: which are there, which can be made, what each is good for. Pure. */
import {
  finalizers,
  labels,
  labelValue,
  managerName,
  pelotechApiVersion,
  sourceHash,
  type VMDiskImage,
  type VMDiskImageReason,
  type VMDiskImageSpec,
  type WorkspaceVM,
} from '@terrain/api';
import { isGoing } from '#controllers/shared/removal.ts';
import { diskSizeOf } from './facts.ts';
import { machineOf } from './machine.ts';
import { type Finding, no, type Snapshot, stuck, type WorkspacePolicy, yes } from './snapshot.ts';

export type ImageState = {
  readonly name: string;
  readonly finding: Finding;
  /** The image that is to be made; there is none. */
  readonly create?: VMDiskImage;
};

/** The images the machines boot from, each once, in the order of the machines. */
export function imageStates(snapshot: Snapshot): readonly ImageState[] {
  const byImage = Map.groupBy(snapshot.workspace.spec.vms ?? [], ({ backingVMDiskImage }) => backingVMDiskImage);
  return [...byImage].map(([name, vms]) => imageState(snapshot, name, vms));
}

function imageState(snapshot: Snapshot, name: string, vms: readonly WorkspaceVM[]): ImageState {
  const image = snapshot.images.get(name);
  const text = `VMDiskImage ${snapshot.policy.imageNamespace}/${name}`;
  // Machines that have their disks do not need it any more, whatever becomes of it.
  if (vms.every((vm) => machineOf(snapshot, vm)?.status?.rootDisk !== undefined))
    return { name, finding: yes('Ready', 'the machines have their disks') };
  if (image === undefined) return absent(snapshot, name, text, vms);
  if (isGoing(image))
    return { name, finding: no('DiskImagesNotReady', `${text} is being deleted, and made again when it is gone`) };
  return { name, finding: findingOf(image, text) };
}

function findingOf(image: VMDiskImage, text: string): Finding {
  const { status, metadata, spec } = image;
  const { artifact } = status ?? {};
  const isCurrent = artifact !== undefined && artifact.sourceHash === sourceHash(spec);
  const isGivenUp = isTrue(image, 'Stalled') && status?.observedGeneration === metadata.generation;
  if (isCurrent && isTrue(image, 'Ready')) return yes('Ready', `${text} can be cloned`);
  if (isGivenUp && artifact !== undefined) return yes('Ready', `the last good download of ${text} is used`);
  if (isGivenUp) return stuck('DiskImagesFailed', `${text} failed: ${status?.message ?? 'it says no more'}`);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (blocking.has(ready?.reason ?? '')) return stuck('DiskImagesBlocked', `${text} waits: ${ready?.message}`);
  // Without its progress, which would be a write on every workspace that waits for it.
  return no('DiskImagesNotReady', `waits for ${text}, which is ${status?.phase ?? 'Queued'}`);
}

/** Reasons of an image for which nothing happens until somebody creates or corrects another object. */
const blocking: ReadonlySet<string> = new Set<VMDiskImageReason>([
  'SecretMissing',
  'SecretInvalid',
  'CertConfigMapMissing',
  'StorageClassMissing',
  'SnapshotClassMissing',
  'PlatformMissing',
]);

const isTrue = ({ status }: VMDiskImage, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

function absent(snapshot: Snapshot, name: string, text: string, vms: readonly WorkspaceVM[]): ImageState {
  const { policy, isImageNamespaceThere, workspace } = snapshot;
  const wait = (finding: Finding): ImageState => ({ name, finding });
  if (!isImageNamespaceThere)
    return wait(
      stuck(
        'ImageNamespaceMissing',
        `namespace ${policy.imageNamespace}, where disk images are kept, does not exist; create it, or set imageNamespace in the sync policy`,
      ),
    );
  const spec = sourceOf(vms, policy);
  if (spec === undefined)
    return wait(
      stuck(
        'DiskImageSourceUnknown',
        `${text} does not exist, and nothing says where to download it from; add vmDiskImageTemplate to machine ${vms[0]?.name}, or set imageUrlTemplate in the sync policy`,
      ),
    );
  const create: VMDiskImage = {
    apiVersion: pelotechApiVersion,
    kind: 'VMDiskImage',
    metadata: {
      name,
      namespace: policy.imageNamespace,
      labels: { [labels.managedBy]: managerName, [labels.workspace]: labelValue(workspace.metadata.name) },
      finalizers: [finalizers.pelotechCleanup],
    },
    spec,
  };
  return { name, create, finding: no('DiskImagesNotReady', `${text} is being made`) };
}

/** Where the image comes from: a template of one of its machines, else the policy's. */
function sourceOf(vms: readonly WorkspaceVM[], policy: WorkspacePolicy): VMDiskImageSpec | undefined {
  const template = vms.find(({ vmDiskImageTemplate }) => vmDiskImageTemplate !== undefined)?.vmDiskImageTemplate;
  if (template !== undefined) return template;
  const [vm] = vms;
  if (vm === undefined || policy.imageUrlTemplate === '') return undefined;
  const { name, version = '', baseVm = '', baseVmVersion = '', backingVMDiskImage: image } = vm;
  const words: Record<string, string> = { name, version, baseVm, baseVmVersion, image };
  const { imageSecretRef, imageStorageClass, imageSnapshotClass } = policy;
  return {
    name,
    url: policy.imageUrlTemplate.replace(/\{(\w+)\}/g, (whole, word: string) => encodeURIComponent(words[word] ?? whole)),
    sourceType: policy.imageSourceType,
    diskSize: diskSizeOf(vm) ?? policy.defaultDiskSize,
    ...(imageSecretRef === '' ? {} : { secretRef: imageSecretRef }),
    ...(imageStorageClass === '' ? {} : { storageClass: imageStorageClass }),
    ...(imageSnapshotClass === '' ? {} : { snapshotClass: imageSnapshotClass }),
  };
}

/**
 * Images this workspace or another one made that machines refer to by now: from then on they go when the last machine has gone.
 *
 * Not before: one that is still queued for a workspace has no machine yet, and would be removed as unused while it is waited for.
 */
export const toRelease = ({ images }: Snapshot): readonly VMDiskImage[] =>
  [...images.values()].filter((image) => isHeld(image) && (image.status?.references ?? 0) > 0 && !isGoing(image));

/** Made for a workspace, and not yet left to the image controller. */
export const isHeld = ({ metadata }: VMDiskImage): boolean =>
  metadata.labels?.[labels.workspace] !== undefined && metadata.labels[labels.createdBy] === undefined;
