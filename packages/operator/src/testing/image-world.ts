/** What an image and its surroundings look like, for tests of decisions: everything in place, nothing begun. */
import {
  annotations,
  dataVolumeName,
  type LedgerEntry,
  labels,
  sourceHash,
  type VMDiskImage,
  type VMDiskImageStatus,
  volumeSnapshotName,
} from '@terrain/api';
import { aVMDiskImage, type Override, stored } from '@terrain/api/testing';
import { desiredDataVolume, desiredSnapshot } from '#controllers/vmdiskimage/desired.ts';
import type { Snapshot, StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim, StorageClass } from '#platform/core.ts';
import type { VolumeSnapshot, VolumeSnapshotClass } from '#platform/snapshot.ts';
import { policyOf, readPolicy } from '#policy/policy.ts';

/** The moment tests play at. */
export const now = '2026-01-15T10:00:00.000Z';
export const nowMs = Date.parse(now);
/** An instant so many seconds before now. */
export const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

export const anImage = (change: Override<VMDiskImage> = {}): StoredImage => stored(aVMDiskImage(change)) as StoredImage;
export const hash = sourceHash(anImage().spec);
export const uid = anImage().metadata.uid;

export const volumeName = (attempt: number): string => dataVolumeName({ name: 'debian', uid, attempt });
export const cutNameOf = (attempt: number, cut = 1): string => volumeSnapshotName({ name: 'debian', uid, attempt, cut });

export const anEntry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  image: 'vmdi-farm/debian',
  attempt: 1,
  seq: 1,
  since: ago(10),
  state: 'open',
  ...change,
});

/** The status of an image whose first attempt runs. */
export const syncing = (change: Override<VMDiskImageStatus> = {}): VMDiskImageStatus =>
  ({
    queuedAt: '2026-01-01T00:00:00Z',
    ticket: '1',
    ...change,
    attempt: { number: 1, sourceHash: hash, startedAt: ago(10), dataVolume: volumeName(1), ...change.attempt },
    retry: { sourceHash: hash, ...change.retry },
  }) as VMDiskImageStatus;

/** The status of an image that can be cloned. */
export const synced = (change: Override<VMDiskImageStatus> = {}): VMDiskImageStatus =>
  ({
    ...syncing(change),
    retry: { sourceHash: hash, lastAttempt: 1, ...change.retry },
    artifact: { volumeSnapshot: cutNameOf(1), dataVolume: volumeName(1), sourceHash: hash, syncedAt: ago(5), ...change.artifact },
  }) as VMDiskImageStatus;

type VolumeChange = {
  attempt?: number;
  phase?: string;
  progress?: string;
  restartCount?: number;
  running?: { status: string; reason?: string; message?: string };
  uid?: string;
  isGoing?: boolean;
  hash?: string;
  /** Seconds since it was made. */
  age?: number;
};

export function aVolume({
  attempt = 1,
  phase = 'ImportInProgress',
  progress,
  restartCount,
  running,
  uid: volumeUid,
  isGoing,
  hash: source = hash,
  age = 9,
}: VolumeChange = {}): DataVolume {
  const manifest = desiredDataVolume(anImage(), { number: attempt, sourceHash: source });
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid: volumeUid ?? `volume-${attempt}`,
      resourceVersion: '5',
      creationTimestamp: ago(age),
      ...(isGoing === true ? { deletionTimestamp: ago(1) } : {}),
    },
    status: {
      phase,
      ...(progress === undefined ? {} : { progress }),
      ...(restartCount === undefined ? {} : { restartCount }),
      conditions: [{ type: 'Running', ...(running ?? { status: 'True', reason: 'Pod is running' }) }],
    },
  };
}

export function aClaim({
  attempt = 1,
  phase = 'Bound',
  isGoing = false,
}: {
  attempt?: number;
  phase?: string;
  isGoing?: boolean;
} = {}): Claim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: volumeName(attempt),
      namespace: 'vmdi-farm',
      labels: { [labels.attempt]: String(attempt), [labels.sourceHash]: hash },
      ...(isGoing ? { deletionTimestamp: ago(1) } : {}),
    },
    status: { phase },
  };
}

type CutChange = {
  attempt?: number;
  cut?: number;
  ready?: boolean;
  error?: string;
  /** Seconds since it was made. */
  age?: number;
  /** Seconds since its error was told; without it the error says no time. */
  errorAge?: number;
  isGoing?: boolean;
};

export function aCut(change: CutChange = {}): VolumeSnapshot {
  const { attempt = 1, cut = 1, ready = true, error, age = 5, errorAge, isGoing = false } = change;
  const manifest = desiredSnapshot(anImage(), cutNameOf(attempt, cut), aVolume({ attempt }));
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid: `cut-${attempt}-${cut}`,
      resourceVersion: '7',
      creationTimestamp: ago(age),
      ...(isGoing ? { deletionTimestamp: ago(1) } : {}),
    },
    status: {
      readyToUse: ready,
      ...(ready ? { boundVolumeSnapshotContentName: 'content', restoreSize: '11381663335' } : {}),
      ...(error === undefined ? {} : { error: { message: error, ...(errorAge === undefined ? {} : { time: ago(errorAge) }) } }),
    },
  };
}

export const aStorageClass = (name = 'fast', change: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'csi.example.com',
  ...change,
});

export const aSnapshotClass = (name = 'cut', change: Partial<VolumeSnapshotClass> = {}): VolumeSnapshotClass => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name, annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } },
  driver: 'csi.example.com',
  ...change,
});

type WorldChange = Partial<Omit<Snapshot, 'image' | 'policy' | 'slot' | 'claims'>> & {
  image?: Override<VMDiskImage>;
  policy?: Record<string, string>;
  entry?: LedgerEntry;
  slot?: Snapshot['slot'];
  claims?: readonly Claim[];
};

/** A world in which the image has just been created and everything it needs is there. */
export function aSnapshot({ image = {}, policy = {}, entry, claims = [], ...rest }: WorldChange = {}): Snapshot {
  return {
    image: anImage(image),
    nowMs,
    policy: policyOf(readPolicy(policy, new Map()).texts),
    slot: { ledger: 'readable', entry, limit: 4 },
    dataVolumes: [],
    claims: new Map(claims.map((claim) => [claim.metadata.name ?? '', claim])),
    snapshots: [],
    cloning: new Set(),
    platform: {
      hasDataVolumes: true,
      hasSnapshots: true,
      storageClasses: [aStorageClass()],
      snapshotClasses: [aSnapshotClass()],
    },
    secret: 'none',
    certConfigMap: 'none',
    references: { count: 0, names: [], asOf: '50', waiting: undefined },
    namespace: { isTerminating: false, isMarkedInUse: false },
    memory: {},
    ...rest,
  };
}

export const paused = { annotations: { [annotations.paused]: 'true' } };
export const cancelled = { annotations: { [annotations.cancel]: 'yes' } };
export const retried = (token: string) => ({ annotations: { [annotations.retry]: token } });
/** An image on its way out. */
export const deleted = { deletionTimestamp: ago(1) };
