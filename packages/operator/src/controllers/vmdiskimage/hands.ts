import type { LedgerEntry, VirtualMachine, VMDiskImageStatus } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim, Secret } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import type { StoredImage } from './snapshot.ts';

/** What is done to the cluster on behalf of one image. Every write names the very object, and where it matters the version, it means. */
export interface Hands {
  /** Only if the image is still in the version given; nothing is sent when nothing differs. */
  writeStatus(image: StoredImage, status: VMDiskImageStatus): Promise<StoredImage>;
  addFinalizer(image: StoredImage, finalizer: string): Promise<StoredImage>;
  /** Undefined when the image is gone with it. */
  removeFinalizer(image: StoredImage, finalizer: string): Promise<StoredImage | undefined>;
  /** By POST. One that is there already is returned as it is, if it is this image's. */
  createDataVolume(manifest: DataVolume): Promise<DataVolume>;
  createSnapshot(manifest: VolumeSnapshot): Promise<VolumeSnapshot>;
  /**
   * Background: in the foreground an importer would wait for its scratch claim, which belongs to it, and the claim, being in use, for the importer,
   * for ever. That the importer is gone is looked at on its own.
   */
  deleteDataVolume(dataVolume: DataVolume): Promise<void>;
  deleteSnapshot(snapshot: VolumeSnapshot): Promise<void>;
  /** Only in the version given. */
  deleteImage(image: StoredImage): Promise<void>;
  /** Marks a namespace as holding images in use, so that deleting it is refused; or takes the mark off. */
  markNamespace(name: string, isInUse: boolean): Promise<string | undefined>;
}

/** Live reads, for what must not be concluded from a cache. Undefined means: not there. */
export interface Eyes {
  image(namespace: string, name: string, signal: AbortSignal): Promise<StoredImage | undefined>;
  dataVolume(namespace: string, name: string, signal: AbortSignal): Promise<DataVolume | undefined>;
  snapshot(namespace: string, name: string, signal: AbortSignal): Promise<VolumeSnapshot | undefined>;
  claim(namespace: string, name: string, signal: AbortSignal): Promise<Claim | undefined>;
  /** Everything controlled by the image of this name and UID. */
  childrenOf(
    image: { readonly namespace: string; readonly name: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<{ readonly dataVolumes: readonly DataVolume[]; readonly snapshots: readonly VolumeSnapshot[] }>;
  /**
   * The pod that still downloads into the claim of this name, also into one that is on its way out. `foreignUid` is the claim somebody else has
   * under that name by now: what fills that one does not count.
   */
  importer(namespace: string, claim: string, signal: AbortSignal, foreignUid?: string): Promise<KubeObject | undefined>;
  /** What that pod said when it last ended; undefined if there is none, or it said nothing. */
  importerWords(namespace: string, claim: string, signal: AbortSignal): Promise<string | undefined>;
  /** The entry of an image in the stored ledger. What cannot be read may hold anything: nothing is concluded from it. */
  entry(uid: string, signal: AbortSignal): Promise<LedgerEntry | 'unreadable' | undefined>;
  secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined>;
  hasConfigMap(namespace: string, name: string, signal: AbortSignal): Promise<boolean>;
  machinesOf(imageKey: string, signal: AbortSignal): Promise<readonly VirtualMachine[]>;
}
