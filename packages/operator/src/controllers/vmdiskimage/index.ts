/** The VMDiskImage controller: what it watches, and who is woken by what. */
import { labels, managerName, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { type ApiTransport, type Controller, type Informer, type KubeObject, keyOf, type Manager } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';
import type { LedgerPort } from '#ledger/port.ts';
import { type DataVolume, dataVolumeType, importerPodSelector } from '#platform/cdi.ts';
import { type Claim, claimType, namespaceType, podType, type StorageClass, storageClassType } from '#platform/core.ts';
import { keptClaim, keptSnapshot, keptVolume } from '#platform/kept.ts';
import { PlatformWait } from '#platform/platform-wait.ts';
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  volumeSnapshotClassType,
  volumeSnapshotType,
} from '#platform/snapshot.ts';
import { eyesOn, handsOf, imageType, machineType } from './api-hands.ts';
import { Intake } from './intake.ts';
import { Memories } from './memory.ts';
import { NamespaceUse } from './namespace-use.ts';
import { Needs } from './needs.ts';
import { claimNews, isOnTheWay, snapshotNews, volumeNews } from './news.ts';
import { NamedObjectWatch } from './object-watch.ts';
import { addIndexes, byNamespace, byVolume, type ImageInformers, inUseByNamespace } from './observe.ts';
import type { Deps, StoredHandler } from './pass.ts';
import { reconcileImage } from './reconcile.ts';
import { imageKeyOf } from './references.ts';
import type { StoredImage } from './snapshot.ts';
import { quietMs } from './status.ts';

/** References are counted this long after they changed, so that two hundred machines are not two hundred writes. */
const countAfterMs = 250;

export interface ImageControllerOptions {
  readonly manager: Manager;
  /** As the manager's, and learning the server's time. */
  readonly api: ApiTransport;
  readonly serverNow: () => number;
  readonly keeper: LedgerKeeper;
  readonly ledger: LedgerPort;
  readonly workers: number;
  readonly onStored: StoredHandler;
}

export interface ImageController {
  readonly controller: Controller<VMDiskImage>;
  readonly intake: Intake;
  readonly informers: ImageInformers;
  readonly close: () => void;
}

function informersOf({ informers }: Manager): ImageInformers & { readonly importers: Informer<KubeObject> } {
  const ours = { labelSelector: `${labels.managedBy}=${managerName}` };
  return {
    images: informers.get<VMDiskImage>(imageType),
    // Those of root disks too: a snapshot is kept while one is being cloned from it.
    dataVolumes: informers.get<DataVolume>(dataVolumeType, { ...ours, keep: keptVolume }),
    snapshots: informers.get<VolumeSnapshot>(volumeSnapshotType, { ...ours, keep: keptSnapshot }),
    // CDI copies the labels of a DataVolume to its claim.
    claims: informers.get<Claim>(claimType, { labelSelector: labels.attempt, keep: keptClaim }),
    storageClasses: informers.get<StorageClass>(storageClassType),
    snapshotClasses: informers.get<VolumeSnapshotClass>(volumeSnapshotClassType),
    machines: informers.get<VirtualMachine>(machineType),
    namespaces: informers.get<KubeObject>(namespaceType, { metadataOnly: true }),
    importers: informers.get<KubeObject>(podType, { labelSelector: importerPodSelector, metadataOnly: true }),
  };
}

/** Adds the controller to a manager. */
export function addImageController({
  manager,
  api,
  serverNow,
  keeper,
  ledger,
  workers,
  onStored,
}: ImageControllerOptions): ImageController {
  const { importers, ...informers } = informersOf(manager);
  addIndexes(informers);
  const eyes = eyesOn(api, ledger);
  const watch = new NamedObjectWatch(api, manager.clock, (key) => {
    const image = informers.images.store.get(key);
    if (image !== undefined) needs.doubt(image as StoredImage);
    lookAgain(key);
  });
  const memories = new Memories();
  const namespaceUse = new NamespaceUse();
  const needs = new Needs(eyes, watch);
  const platform = new PlatformWait([informers.dataVolumes, informers.snapshots, informers.snapshotClasses], (key) =>
    lookAgain(key),
  );
  const sources = { informers, keeper, memories, needs, serverNow };
  const onGone = (key: string, uid: string): void => {
    memories.forget(uid);
    needs.release(key);
    namespaceUse.forget(key.slice(0, key.indexOf('/')), key);
  };
  const intake = new Intake({ sources, eyes, keeper, onGone, wake: (key) => controller.queue.add(key) });
  /** What an image waited for may be there: whoever takes a place in the queue does so before a worker gets to one of them. */
  const lookAgain = (key: string): void => {
    intake.reconsider(key);
    controller.queue.add(key);
  };
  const deps: Deps = {
    ...sources,
    eyes,
    intake,
    namespaceUse,
    sleep: (ms, signal) => manager.clock.sleep(ms, signal),
    record: (object, happening) => manager.events.record(object, happening),
    onStored,
    awaitPlatform: (key, isWaiting) => platform.set(key, isWaiting),
  };
  const controller: Controller<VMDiskImage> = manager.controller<VMDiskImage>({
    name: 'vmdiskimage',
    for: informers.images,
    workers,
    reconcile: ({ namespace, name }, context) => {
      const { writer, signal } = context;
      const pass = { deps, key: `${namespace}/${name}`, hands: handsOf(writer, api, signal), signal };
      // Asked for only when there is something to say.
      const result = reconcileImage({
        ...pass,
        get log() {
          return context.log;
        },
      });
      return result.catch((error: unknown) => {
        intake.failed(pass.key);
        throw error;
      });
    },
  });
  controller
    .owns(informers.dataVolumes, volumeNews(informers.claims.store))
    .owns(informers.snapshots, snapshotNews)
    .watches(informers.claims, (claim) => imagesOfVolume(informers, claim), claimNews)
    .watches(informers.namespaces, ({ metadata }) => imagesIn(informers, metadata))
    .watches(importers, ({ metadata }) => keeper.closingImages(metadata.namespace ?? ''));
  informers.storageClasses.onChange(() => platform.wakeAll());
  informers.snapshotClasses.onChange(() => platform.wakeAll());
  informers.machines.onChange((change) => {
    for (const machine of [change.type === 'added' ? undefined : change.old, change.type === 'deleted' ? undefined : change.new])
      if (machine !== undefined) controller.queue.addAfter(imageKeyOf(machine), countAfterMs);
  });
  informers.dataVolumes.onChange((change) => {
    if (!isOnTheWay(change) || change.type !== 'updated') return;
    const { namespace, ownerReferences = [] } = change.new.metadata;
    const owner = ownerReferences.find(({ controller: isController, kind }) => isController === true && kind === 'VMDiskImage');
    if (owner !== undefined) controller.queue.addAfter(`${namespace}/${owner.name}`, quietMs);
  });
  informers.dataVolumes.onChange((change) => {
    const { spec } = change.type === 'deleted' ? change.old : change.new;
    const { snapshot } = spec.source ?? {};
    if (snapshot === undefined) return;
    const owner = informers.snapshots.store
      .get(`${snapshot.namespace}/${snapshot.name}`)
      ?.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (owner !== undefined) controller.queue.addAfter(`${snapshot.namespace}/${owner.name}`, countAfterMs);
  });
  return { controller, intake, informers, close: () => watch.close() };
}

/** The images whose artifact or attempt lies in a claim; its DataVolume may be gone. */
const imagesOfVolume = ({ images }: ImageInformers, claim: Claim): readonly string[] =>
  images.store.keysByIndex(byVolume, keyOf(claim));

/** A namespace on its way out concerns all images in it; one that lost its mark, those in use. */
function imagesIn({ images }: ImageInformers, { name = '', deletionTimestamp }: KubeObject['metadata']): readonly string[] {
  return images.store.keysByIndex(deletionTimestamp === undefined ? inUseByNamespace : byNamespace, name);
}
