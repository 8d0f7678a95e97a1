/** Hands and eyes on the API server. */
import {
  labels,
  labelValue,
  managerName,
  parseLedger,
  type VirtualMachine,
  type VMDiskImage,
  type VMDiskImageStatus,
  virtualMachineKind,
  vmDiskImageKind,
} from '@terrain/api';
import {
  type ApiTransport,
  controllerUid,
  isNotFound,
  type KubeObject,
  type OwnerReference,
  Resource,
  type ResourceType,
  type Writer,
} from '@terrain/runtime';
import type { LedgerPort } from '#ledger/port.ts';
import { type DataVolume, dataVolumeType, importerPodSelector } from '#platform/cdi.ts';
import {
  type Claim,
  type ConfigMap,
  claimType,
  configMapType,
  namespaceType,
  podType,
  type Secret,
  secretType,
} from '#platform/core.ts';
import { type VolumeSnapshot, volumeSnapshotType } from '#platform/snapshot.ts';
import { type Pod, wordsBeforeRestart } from '#platform/workload.ts';
import type { Eyes, Hands } from './hands.ts';
import { imageKeyOf } from './references.ts';
import type { StoredImage } from './snapshot.ts';

const typeOf = ({ group, version, plural, kind }: typeof vmDiskImageKind | typeof virtualMachineKind): ResourceType => ({
  group,
  version,
  plural,
  namespaced: true,
  kind,
});
export const imageType = typeOf(vmDiskImageKind);
export const machineType = typeOf(virtualMachineKind);

/** Writes through the writer of one pass, so that the next one waits until the caches show them. */
export function handsOf(writer: Writer, api: ApiTransport, signal: AbortSignal): Hands {
  const write = writer as Writer;
  return {
    writeStatus: async (image, status) =>
      (await write.status<VMDiskImage>(imageType, image, status as VMDiskImageStatus)) as StoredImage,
    addFinalizer: async (image, finalizer) => (await write.addFinalizer<VMDiskImage>(imageType, image, finalizer)) as StoredImage,
    removeFinalizer: async (image, finalizer) =>
      (await write.removeFinalizer<VMDiskImage>(imageType, image, finalizer)) as StoredImage | undefined,
    createDataVolume: (manifest) => write.create(dataVolumeType, manifest),
    createSnapshot: (manifest) => write.create(volumeSnapshotType, manifest),
    deleteDataVolume: async (dataVolume) => {
      await write.delete(dataVolumeType, anyVersion(dataVolume), { propagationPolicy: 'Background' });
    },
    deleteSnapshot: async (snapshot) => {
      await write.delete(volumeSnapshotType, anyVersion(snapshot));
    },
    deleteImage: async (image) => {
      await write.delete(imageType, image);
    },
    markNamespace: async (name, isInUse) => {
      const mark = { metadata: { labels: { [labels.imagesInUse]: isInUse ? 'true' : null } } };
      const { metadata } = await new Resource<KubeObject>(api, namespaceType).mergePatch({ name }, mark, { signal });
      return metadata.resourceVersion;
    },
  };
}

/** Their status changes all the time; what must be right is which object it is. */
function anyVersion<T extends KubeObject>(object: T): T {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function eyesOn(api: ApiTransport, ledger: LedgerPort): Eyes {
  const get = <T extends KubeObject>(type: ResourceType) => {
    const resource = new Resource<T>(api, type);
    return (namespace: string, name: string, signal: AbortSignal): Promise<T | undefined> =>
      orAbsent(resource.get({ namespace, name }, { signal }));
  };
  const claim = get<Claim>(claimType);
  const configMap = get<ConfigMap>(configMapType);
  const list = async <T extends KubeObject>(
    type: ResourceType,
    namespace: string | undefined,
    labelSelector: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly T[]> => {
    const options = labelSelector === undefined ? { signal } : { signal, labelSelector };
    const found = await orAbsent(new Resource<T>(api, type).list(namespace === undefined ? {} : { namespace }, options));
    return found?.items ?? [];
  };
  const importer = async (
    namespace: string,
    claimName: string,
    signal: AbortSignal,
    foreignUid?: string,
  ): Promise<Pod | undefined> => {
    const isMeant = ({ kind, name, uid }: OwnerReference): boolean =>
      kind === 'PersistentVolumeClaim' && name === claimName && uid !== foreignUid;
    for (const pod of await list<Pod>(podType, namespace, importerPodSelector, signal)) {
      const filled = pod.metadata.ownerReferences?.find(({ kind }) => kind === 'PersistentVolumeClaim');
      if (filled === undefined) continue;
      // Items of a list do not say their kind, which people are told.
      const named: Pod = { ...pod, apiVersion: 'v1', kind: 'Pod' };
      if (isMeant(filled)) return named;
      if (filled.name === claimName) continue;
      // On populator storage the pod fills a temporary claim, which its use keeps from vanishing and which names the real one.
      const temporary = await claim(namespace, filled.name, signal);
      if (temporary?.metadata.ownerReferences?.some(isMeant) === true) return named;
    }
    return undefined;
  };
  return {
    image: get<VMDiskImage>(imageType) as Eyes['image'],
    dataVolume: get<DataVolume>(dataVolumeType),
    snapshot: get<VolumeSnapshot>(volumeSnapshotType),
    secret: get<Secret>(secretType),
    claim,
    hasConfigMap: async (namespace, name, signal) => (await configMap(namespace, name, signal)) !== undefined,
    async childrenOf({ namespace, name, uid }, signal) {
      const selector = `${labels.managedBy}=${managerName},${labels.image}=${labelValue(name)}`;
      const isOurs = (object: KubeObject): boolean => controllerUid(object) === uid;
      const [dataVolumes, snapshots] = await Promise.all([
        list<DataVolume>(dataVolumeType, namespace, selector, signal),
        list<VolumeSnapshot>(volumeSnapshotType, namespace, selector, signal),
      ]);
      return { dataVolumes: dataVolumes.filter(isOurs), snapshots: snapshots.filter(isOurs) };
    },
    importer,
    async importerWords(...of) {
      const pod = await importer(...of);
      return pod === undefined ? undefined : wordsBeforeRestart(pod);
    },
    async entry(uid, signal) {
      const reading = parseLedger((await ledger.read(signal))?.data);
      return reading.kind === 'ledger' ? reading.ledger.entries.get(uid) : 'unreadable';
    },
    async machinesOf(imageKey, signal) {
      const machines = await list<KubeObject>(machineType, undefined, undefined, signal);
      return (machines as readonly VirtualMachine[]).filter((machine) => imageKeyOf(machine) === imageKey);
    },
  };
}

async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
