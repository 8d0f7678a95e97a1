/** The VirtualMachine controller: what it watches, and who is woken by what. */
import { labels, managerName, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { type ApiTransport, type Controller, type KubeObject, keyOf, type Manager } from '@terrain/runtime';
import { imageType, machineType } from '#controllers/shared/kind.ts';
import { NamedObjectWatch } from '#controllers/vmdiskimage/object-watch.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import {
  type Claim,
  claimType,
  namespaceType,
  type Secret,
  type StorageClass,
  secretType,
  storageClassType,
} from '#platform/core.ts';
import { keptRootClaim, keptSnapshot, keptVolume } from '#platform/kept.ts';
import {
  type KubevirtInstance,
  type KubevirtMachine,
  kubevirtCondition,
  kubevirtInstanceType,
  kubevirtMachineType,
} from '#platform/kubevirt.ts';
import { networkType } from '#platform/network.ts';
import { PlatformWait } from '#platform/platform-wait.ts';
import { leavesRoom, quotaType, type ResourceQuota } from '#platform/quota.ts';
import { type VolumeSnapshot, volumeSnapshotType } from '#platform/snapshot.ts';
import { claimNews, countNews, diskNews, imageNews, instanceNews } from './news.ts';
import { addIndexes, type MachineInformers, machinesOf } from './observe.ts';
import { Obstacles } from './obstacles.ts';
import { Passwords } from './passwords.ts';
import { QuietTime } from './quiet-time.ts';
import { reconcileMachine } from './reconcile.ts';

export interface MachineControllerOptions {
  readonly manager: Manager;
  /** As the manager's, and learning the server's time. */
  readonly api: ApiTransport;
  readonly serverNow: () => number;
  readonly workers: number;
}

export interface MachineController {
  readonly controller: Controller<VirtualMachine>;
  readonly close: () => void;
}

function informersOf({ informers }: Manager): MachineInformers {
  const ours = { labelSelector: `${labels.managedBy}=${managerName}` };
  const ofMachines = { labelSelector: labels.virtualMachine };
  return {
    machines: informers.get<VirtualMachine>(machineType),
    images: informers.get<VMDiskImage>(imageType),
    dataVolumes: informers.get<DataVolume>(dataVolumeType, { ...ours, keep: keptVolume }),
    snapshots: informers.get<VolumeSnapshot>(volumeSnapshotType, { ...ours, keep: keptSnapshot }),
    // CDI copies the labels of a DataVolume to its claim.
    claims: informers.get<Claim>(claimType, { ...ofMachines, keep: keptRootClaim }),
    // Only those the operator made; people's own are read one by one.
    secrets: informers.get<Secret>(secretType, ofMachines),
    kubevirt: informers.get<KubevirtMachine>(kubevirtMachineType, ofMachines),
    instances: informers.get<KubevirtInstance>(kubevirtInstanceType, ofMachines),
    networks: informers.get<KubeObject>(networkType, { metadataOnly: true }),
    namespaces: informers.get<KubeObject>(namespaceType, { metadataOnly: true }),
    storageClasses: informers.get<StorageClass>(storageClassType),
    quotas: informers.get<ResourceQuota>(quotaType),
  };
}

/** Adds the controller to a manager. */
export function addMachineController({ manager, api, serverNow, workers }: MachineControllerOptions): MachineController {
  const informers = informersOf(manager);
  addIndexes(informers);
  const wake = (key: string): void => controller.queue.add(key);
  const watch = new NamedObjectWatch(api, manager.clock, wake);
  const taken = new NamedObjectWatch(api, manager.clock, wake);
  const obstacles = new Obstacles(taken, wake);
  const { dataVolumes, snapshots, kubevirt, networks } = informers;
  const platform = new PlatformWait([dataVolumes, snapshots, kubevirt, networks], wake);
  const startProblems = new Map<string, string>();
  const deps = {
    informers,
    startProblems,
    serverNow,
    api,
    passwords: new Passwords(api, watch),
    obstacles,
    quiet: new QuietTime(),
    record: (object: KubeObject, happening: Parameters<Manager['events']['record']>[1]) =>
      manager.events.record(object, happening),
    awaitPlatform: (key: string, isWaiting: boolean) => platform.set(key, isWaiting),
  };
  const controller: Controller<VirtualMachine> = manager.controller<VirtualMachine>({
    name: 'virtualmachine',
    for: informers.machines,
    workers,
    reconcile: ({ namespace, name }, { writer, signal }) =>
      reconcileMachine({ deps, key: `${namespace}/${name}`, writer, signal }),
  });
  // Before the controller is told, so that a pass this causes knows.
  informers.instances.onChange((change) => {
    if (change.type !== 'deleted') noteStart(startProblems, change.new);
  });
  informers.kubevirt.onChange((change) => {
    if (change.type === 'deleted') startProblems.delete(change.key);
  });
  const gathering = { gatherMs: () => deps.quiet.gatherMs() };
  controller
    .owns(dataVolumes, { ...diskNews, ...gathering })
    .owns(informers.secrets)
    .owns(kubevirt, gathering)
    .watches(informers.images, (image) => machinesOf.image(informers, image), imageNews)
    .watches(informers.images, (image) => machinesOf.uncounted(informers, image), countNews)
    .watches(informers.claims, (claim) => machinesOf.claim(informers, claim, labels.virtualMachine), {
      ...claimNews,
      ...gathering,
    })
    .watches(informers.instances, (instance) => machinesOf.instance(informers, instance), { ...instanceNews, ...gathering })
    .watches(networks, (network) => machinesOf.network(informers, network))
    .watches(informers.namespaces, (namespace) => machinesOf.namespace(informers, namespace));
  informers.storageClasses.onChange(() => platform.wakeAll());
  snapshots.onChange((change) => {
    // A clone whose source went before it began waits for nothing any more.
    if (change.type !== 'deleted') return;
    const owner = change.old.metadata.ownerReferences?.find((reference) => reference.controller === true);
    const image = informers.images.store.get(`${change.old.metadata.namespace}/${owner?.name}`);
    if (image !== undefined) for (const key of machinesOf.image(informers, image)) wake(key);
  });
  informers.quotas.onChange((change) => {
    if (leavesRoom(change)) obstacles.roomIn((change.type === 'deleted' ? change.old : change.new).metadata.namespace ?? '');
  });
  return {
    controller,
    close: () => {
      watch.close();
      taken.close();
    },
  };
}

/** KubeVirt shows why a start failed for a fraction of a second: noted when told, not when a worker gets to it. */
function noteStart(startProblems: Map<string, string>, instance: KubevirtInstance): void {
  const synchronized = kubevirtCondition(instance, 'Synchronized');
  if (instance.status?.phase === 'Running') startProblems.delete(keyOf(instance));
  else if (synchronized?.status === 'False' && (synchronized.message ?? '') !== '')
    startProblems.set(keyOf(instance), (synchronized.message ?? '').slice(0, 500));
}
