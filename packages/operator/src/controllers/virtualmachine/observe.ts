/** From caches to a Snapshot. Makes no requests. */
import { cloudInitSecretName, kubevirtMachineName, labelValue, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { controllerUid, type Informer, type KubeObject, keyOf } from '@terrain/runtime';
import { imageKeyOf } from '#controllers/vmdiskimage/references.ts';
import type { DataVolume } from '#platform/cdi.ts';
import { type Claim, defaultStorageClass, type Secret, type StorageClass } from '#platform/core.ts';
import type { KubevirtInstance, KubevirtMachine } from '#platform/kubevirt.ts';
import type { ResourceQuota } from '#platform/quota.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { imageNamespaceOf, wantedDiskName } from './facts.ts';
import type { NamespaceState, Snapshot, StoredMachine } from './snapshot.ts';

/** The caches decisions read. */
export interface MachineInformers {
  readonly machines: Informer<VirtualMachine>;
  readonly images: Informer<VMDiskImage>;
  readonly dataVolumes: Informer<DataVolume>;
  readonly snapshots: Informer<VolumeSnapshot>;
  readonly claims: Informer<Claim>;
  readonly secrets: Informer<Secret>;
  readonly kubevirt: Informer<KubevirtMachine>;
  readonly instances: Informer<KubevirtInstance>;
  readonly networks: Informer<KubeObject>;
  readonly namespaces: Informer<KubeObject>;
  readonly storageClasses: Informer<StorageClass>;
  readonly quotas: Informer<ResourceQuota>;
}

const byOwner = 'virtualmachine/owner';
const byImage = 'virtualmachine/image';
const byImageNamespace = 'virtualmachine/image-namespace';
const byNamespace = 'virtualmachine/namespace';
const byNetwork = 'virtualmachine/network';
const byKubevirtName = 'virtualmachine/kubevirt';
const byLabel = 'virtualmachine/label';

export function addIndexes({ machines, dataVolumes }: MachineInformers): void {
  dataVolumes.addIndex(byOwner, (disk) => [controllerUid(disk) ?? '']);
  machines.addIndex(byImage, (machine) => [imageKeyOf(machine)]);
  machines.addIndex(byImageNamespace, (machine) => [imageNamespaceOf(machine as StoredMachine)]);
  machines.addIndex(byNamespace, ({ metadata }) => [metadata.namespace ?? '']);
  machines.addIndex(byNetwork, ({ metadata, spec }) =>
    (spec.interfaces ?? []).map(({ network }) => `${metadata.namespace}/${network}`),
  );
  machines.addIndex(byKubevirtName, ({ metadata }) => [`${metadata.namespace}/${kubevirtMachineName(metadata.name)}`]);
  machines.addIndex(byLabel, ({ metadata }) => [`${metadata.namespace}/${labelValue(metadata.name)}`]);
}

export interface ObserveSources {
  readonly informers: MachineInformers;
  /** KubeVirt's words about a failed start, by the key of its machine. */
  readonly startProblems: ReadonlyMap<string, string>;
  readonly serverNow: () => number;
}

/** What is known about a machine; undefined when it is gone. */
export function observe({ informers, startProblems, serverNow }: ObserveSources, key: string): Snapshot | undefined {
  const machine = informers.machines.store.get(key) as StoredMachine | undefined;
  if (machine === undefined) return undefined;
  const { name, namespace, uid } = machine.metadata;
  const disks = informers.dataVolumes.store.byIndex(byOwner, uid);
  const kubevirtKey = `${namespace}/${kubevirtMachineName(name)}`;
  const kubevirt = ownOf(informers.kubevirt.store.get(kubevirtKey), uid);
  const networks = (machine.spec.interfaces ?? []).flatMap(({ network }): [string, KubeObject][] => {
    const found = informers.networks.store.get(`${namespace}/${network}`);
    return found === undefined || found.metadata.deletionTimestamp !== undefined ? [] : [[network, found]];
  });
  return {
    machine,
    nowMs: serverNow(),
    image: informers.images.store.get(imageKeyOf(machine)),
    imageNamespace: namespaceState(informers, imageNamespaceOf(machine)),
    isNamespaceTerminating: namespaceState(informers, namespace) === 'terminating',
    disks,
    claim: informers.claims.store.get(`${namespace}/${wantedDiskName(machine)}`),
    sources: new Set(disks.flatMap((disk) => existingSource(informers, disk))),
    kubevirt,
    instance: kubevirt === undefined ? undefined : ownOf(informers.instances.store.get(kubevirtKey), kubevirt.metadata.uid),
    secret: ownOf(informers.secrets.store.get(`${namespace}/${cloudInitSecretName(name)}`), uid),
    networks: new Map(networks),
    platform: {
      hasDataVolumes: informers.dataVolumes.served === true,
      hasKubevirt: informers.kubevirt.served === true,
      hasNetworks: informers.networks.served === true,
      hasStorageClass: (wanted) =>
        wanted === ''
          ? defaultStorageClass([...informers.storageClasses.store.values()]) !== undefined
          : informers.storageClasses.store.get(wanted) !== undefined,
      canExpand: (storageClass) => informers.storageClasses.store.get(storageClass)?.allowVolumeExpansion === true,
    },
    startProblem: startProblems.get(kubevirtKey),
  };
}

function ownOf<T extends KubeObject>(object: T | undefined, uid: string | undefined): T | undefined {
  return object !== undefined && controllerUid(object) === uid ? object : undefined;
}

function existingSource({ snapshots }: MachineInformers, { spec }: DataVolume): string[] {
  const { snapshot } = spec.source ?? {};
  if (snapshot === undefined) return [];
  const key = `${snapshot.namespace}/${snapshot.name}`;
  return snapshots.store.get(key) === undefined ? [] : [key];
}

function namespaceState({ namespaces }: MachineInformers, name: string): NamespaceState {
  const namespace = namespaces.store.get(name);
  if (namespace === undefined) return 'absent';
  return namespace.metadata.deletionTimestamp === undefined ? 'there' : 'terminating';
}

type Keys = readonly string[];

/** The machines each object concerns. */
export const machinesOf = {
  image: ({ machines }: MachineInformers, image: VMDiskImage): Keys => machines.store.keysByIndex(byImage, keyOf(image)),
  /** Those of an image that have no root disk: they wait to be counted. */
  uncounted: ({ machines, dataVolumes }: MachineInformers, image: VMDiskImage): Keys =>
    (machines.store.byIndex(byImage, keyOf(image)) as readonly StoredMachine[])
      .filter((machine) => {
        const disks = dataVolumes.store.byIndex(byOwner, machine.metadata.uid);
        return disks.length === 0 || disks.every(({ metadata }) => metadata.name !== wantedDiskName(machine));
      })
      .map(keyOf),
  network: ({ machines }: MachineInformers, network: KubeObject): Keys => machines.store.keysByIndex(byNetwork, keyOf(network)),
  instance: ({ machines }: MachineInformers, instance: KubevirtInstance): Keys =>
    machines.store.keysByIndex(byKubevirtName, keyOf(instance)),
  claim: ({ machines }: MachineInformers, { metadata }: Claim, label: string): Keys =>
    machines.store.keysByIndex(byLabel, `${metadata.namespace}/${metadata.labels?.[label]}`),
  /** Those whose image has no namespace yet, and those that go with theirs. */
  namespace: ({ machines }: MachineInformers, { metadata }: KubeObject): Keys => [
    ...machines.store
      .byIndex(byImageNamespace, metadata.name ?? '')
      .filter(({ status }) => status?.rootDisk === undefined)
      .map(keyOf),
    ...(metadata.deletionTimestamp === undefined ? [] : machines.store.keysByIndex(byNamespace, metadata.name ?? '')),
  ],
};
