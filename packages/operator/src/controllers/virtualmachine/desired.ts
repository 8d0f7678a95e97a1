/** The objects a machine needs, complete and the same for the same input. */
import { createHash } from 'node:crypto';
import {
  cloudInitSecretName,
  finalizers,
  kubevirtMachineName,
  labels,
  labelValue,
  managerName,
  parseQuantityBytes,
  pelotechApiVersion,
  type VMDiskImage,
} from '@terrain/api';
import { controllerReference, type OwnerReference } from '@terrain/runtime';
import type { GuestInterface } from '#cloudinit/interfaces.ts';
import { cdiAnnotations, type DataVolume, dataVolumeApiVersion } from '#platform/cdi.ts';
import type { Secret } from '#platform/core.ts';
import { type KubevirtMachine, kubevirtApiVersion } from '#platform/kubevirt.ts';
import { shownQuantity } from '#platform/quantity.ts';
import { imageNamespaceOf, isWantedRunning, wantedDiskName } from './facts.ts';
import type { Artifact } from './image.ts';
import type { StoredMachine } from './snapshot.ts';

/** The image of vmDiskImageTemplate. Owner references do not reach into another namespace: a label tells where it came from. */
export function desiredImage(machine: StoredMachine): VMDiskImage {
  const { metadata, spec } = machine;
  if (spec.vmDiskImageTemplate === undefined) throw new TypeError(`${metadata.name} has no vmDiskImageTemplate`);
  return {
    apiVersion: pelotechApiVersion,
    kind: 'VMDiskImage',
    metadata: {
      name: spec.vmDiskImageRef.name,
      namespace: imageNamespaceOf(machine),
      labels: {
        [labels.managedBy]: managerName,
        [labels.createdBy]: labelValue(`virtualmachine.${metadata.namespace}.${metadata.name}`),
      },
      finalizers: [finalizers.pelotechCleanup],
    },
    spec: spec.vmDiskImageTemplate,
  };
}

/** The root disk, cloned from the snapshot of an image. */
export function desiredRootDisk(machine: StoredMachine, image: VMDiskImage, artifact: Artifact): DataVolume {
  const { storageClass = '' } = image.spec;
  const size = askedSize(machine, image, artifact);
  return {
    apiVersion: dataVolumeApiVersion,
    kind: 'DataVolume',
    metadata: {
      name: wantedDiskName(machine),
      namespace: machine.metadata.namespace,
      labels: ownLabels(machine),
      annotations: {
        // A machine that is left stopped never becomes the first consumer its disk would wait for.
        [cdiAnnotations.immediateBinding]: 'true',
        // The claim, not the DataVolume, holds the data: one that outlived its DataVolume is taken up again, not cloned over.
        [cdiAnnotations.allowClaimAdoption]: 'true',
      },
      ownerReferences: [ownerOf(machine)],
    },
    spec: {
      source: { snapshot: { namespace: image.metadata.namespace ?? '', name: artifact.volumeSnapshot } },
      storage: {
        ...(storageClass === '' ? {} : { storageClassName: storageClass }),
        ...(size === undefined ? {} : { resources: { requests: { storage: size } } }),
      },
    },
  };
}

/** No size unless a larger disk is wanted than the snapshot gives: CDI would inflate even an equal one. */
function askedSize({ spec }: StoredMachine, image: VMDiskImage, { restoreSize = '0' }: Artifact): string | undefined {
  const { diskSize } = spec.resources;
  const wanted = diskSize === undefined ? 0n : (parseQuantityBytes(diskSize) ?? 0n);
  const held = parseQuantityBytes(restoreSize) ?? 0n;
  if (held > 0n) return wanted > held ? String(diskSize) : undefined;
  // Some drivers know no size of a snapshot, and CDI then insists on being told one: no less than what was downloaded into.
  const downloaded = parseQuantityBytes(image.spec.diskSize) ?? 0n;
  return String(diskSize !== undefined && wanted > downloaded ? diskSize : image.spec.diskSize);
}

/** Annotations on the Secret with which it is judged without knowing the passwords it was made from. */
const secretAnnotations = { inputs: 'pelotech.ot/inputs', content: 'pelotech.ot/content' } as const;

/** The Secret with the guest's configuration. */
export function desiredSecret(machine: StoredMachine, inputs: string, texts: Readonly<Record<string, string>>): Secret {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: cloudInitSecretName(machine.metadata.name),
      namespace: machine.metadata.namespace,
      labels: ownLabels(machine),
      annotations: { [secretAnnotations.inputs]: inputs, [secretAnnotations.content]: contentOf(data) },
      ownerReferences: [ownerOf(machine)],
    },
    type: 'Opaque',
    data,
  };
}

/** All that a Secret is made from, but for what other Secrets hold. */
export const inputsOf = ({ metadata, spec }: StoredMachine, interfaces: readonly GuestInterface[]): string =>
  hash([metadata.uid, metadata.name, spec.name, spec.users, spec.resetToken, interfaces]);

/** Whether a Secret was made from these inputs and nobody has changed it since. */
export function isSecretCurrent(secret: Secret, inputs: string): boolean {
  const { annotations = {}, deletionTimestamp } = secret.metadata;
  return (
    deletionTimestamp === undefined &&
    annotations[secretAnnotations.inputs] === inputs &&
    annotations[secretAnnotations.content] === contentOf(secret.data ?? {})
  );
}

/** Of what guests read; other keys are somebody else's. */
const contentOf = ({ userdata, networkdata }: Readonly<Record<string, string>>): string => hash({ userdata, networkdata });

const noOptions: Readonly<Record<string, never>> = {};
/** Time a guest gets to shut down. */
const graceSeconds = 30;

/** KubeVirt's machine. */
export function desiredKubevirtMachine(machine: StoredMachine, interfaces: readonly GuestInterface[]): KubevirtMachine {
  const { metadata, spec } = machine;
  const { mode, port } = spec.guestReadiness ?? {};
  const secretRef = { name: cloudInitSecretName(metadata.name) };
  return {
    apiVersion: kubevirtApiVersion,
    kind: 'VirtualMachine',
    metadata: {
      name: kubevirtMachineName(metadata.name),
      namespace: metadata.namespace,
      labels: machineLabels(machine),
      ownerReferences: [ownerOf(machine)],
    },
    spec: {
      runStrategy: isWantedRunning(machine) ? 'Always' : 'Halted',
      template: {
        metadata: { labels: machineLabels(machine) },
        spec: {
          terminationGracePeriodSeconds: graceSeconds,
          domain: {
            cpu: { cores: coresOf(spec.resources.cpu) },
            memory: { guest: shownQuantity(spec.resources.memory) },
            // KubeVirt makes cloud-init's instance id of it: a new disk is a new instance.
            firmware: { uuid: firmwareUuid(machine) },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
                { name: 'cloudinit', disk: { bus: 'virtio' } },
              ],
              interfaces: interfaces.map(({ name, network, macAddress }) => ({
                name,
                macAddress,
                ...(network === undefined ? { masquerade: noOptions } : { bridge: noOptions }),
              })),
              rng: noOptions,
            },
          },
          networks: interfaces.map(({ name, network }) => ({
            name,
            ...(network === undefined ? { pod: noOptions } : { multus: { networkName: `${metadata.namespace}/${network}` } }),
          })),
          volumes: [
            { name: 'root', dataVolume: { name: wantedDiskName(machine) } },
            { name: 'cloudinit', cloudInitNoCloud: { secretRef, networkDataSecretRef: secretRef } },
          ],
          ...(mode === 'TCP' && port !== undefined
            ? { readinessProbe: { tcpSocket: { port }, periodSeconds: 5, failureThreshold: 3 } }
            : {}),
        },
      },
    },
  };
}

/** Whole processors, at least one: a guest cannot have half of one. */
const coresOf = (cpu: string | number): number => Number(parseQuantityBytes(cpu) ?? 1n);

/** The same for the life of a root disk. */
function firmwareUuid({ metadata, spec }: StoredMachine): string {
  const hex = hash([metadata.uid, spec.resetToken]);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const ownLabels = ({ metadata }: StoredMachine): Record<string, string> => ({
  [labels.managedBy]: managerName,
  [labels.virtualMachine]: labelValue(metadata.name),
});

function machineLabels(machine: StoredMachine): Record<string, string> {
  const { name, version, baseVm, baseVmVersion } = machine.spec;
  const named = {
    [labels.vmName]: name,
    [labels.vmVersion]: version,
    [labels.baseVm]: baseVm,
    [labels.baseVmVersion]: baseVmVersion,
  };
  return {
    ...ownLabels(machine),
    ...Object.fromEntries(
      Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [[key, labelValue(value)]])),
    ),
  };
}

const ownerOf = (machine: StoredMachine): OwnerReference =>
  controllerReference({ ...machine, apiVersion: pelotechApiVersion, kind: 'VirtualMachine' });

/** Of JSON; the order of keys does not matter. */
function hash(value: unknown): string {
  const sorted = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(sorted).digest('hex');
}
