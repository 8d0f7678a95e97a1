/** The global queue, as the ledger and the images show it. */
import { type Ledger, type LedgerEntry, type VMDiskImage, VMDiskImageCondition } from '@terrain/api';
import { bytesOf } from '../output/bytes.ts';
import { plain } from '../output/plain.ts';
import { type Download, estimatedEndMs, estimatedStarts, typicalMs } from './estimate.ts';
import { comparePlaces } from './place.ts';
import { conditionOf, hasArtifact, isGivenUp, keyOf } from './state.ts';

/** A download that holds a slot. Times are instants in UTC; null where nothing is known. */
export interface ActiveSync {
  readonly image: string;
  readonly attempt: number | null;
  /** An `ending` one lets go of its slot as soon as it is cleared away. */
  readonly state: 'syncing' | 'ending';
  readonly since: string | null;
  readonly size: string | null;
  readonly progress: number | null;
  readonly percentPerMinute: number | null;
  readonly estimatedEnd: string | null;
}

/** An image that has a place in the queue. */
export interface WaitingSync {
  readonly position: number;
  readonly image: string;
  readonly queuedAt: string | null;
  readonly size: string;
  /** Why it would be passed over: it keeps its place meanwhile. */
  readonly heldBackBy: string | null;
  readonly message: string;
  readonly estimatedStart: string | null;
  /** When it could be cloned, if it takes as long as others did lately. */
  readonly estimatedEnd: string | null;
}

export interface Queue {
  /** Null when the ledger cannot be read; `problem` says why. */
  readonly slots: { readonly used: number; readonly limit: number } | null;
  readonly problem: string | null;
  /** What the estimates rest on. */
  readonly typicalSeconds: number | null;
  /** Sizes of the disks that run and that wait, added up. */
  readonly bytes: { readonly active: number; readonly waiting: number };
  readonly active: readonly ActiveSync[];
  readonly waiting: readonly WaitingSync[];
}

/** What is known of the ledger: itself, or why it cannot be read. */
export type KnownLedger = Ledger | string;

/** All images of the cluster must be given: a part of them has no order of its own. */
export function queueOf(images: readonly VMDiskImage[], ledger: KnownLedger, nowMs: number): Queue {
  const typical = typicalMs(images);
  const running = typeof ledger === 'string' ? runningByPhase(images) : runningByLedger(images, ledger);
  const activeKeys = new Set(running.map(({ key }) => key));
  const estimates = running.map((sync) => estimatedEndMs(downloadOf(sync, nowMs), typical, nowMs));
  const waiting = images.filter((image) => isWaiting(image) && !activeKeys.has(keyOf(image))).sort(comparePlaces);
  const eligible = waiting.filter((image) => heldBackBy(image) === undefined);
  const slots = typeof ledger === 'string' ? { limit: 0, endsMs: [] } : { limit: ledger.limit, endsMs: estimates };
  const starts = new Map(estimatedStarts(eligible.length, slots, typical, nowMs).map((start, index) => [eligible[index], start]));
  return {
    slots: typeof ledger === 'string' ? null : { used: ledger.entries.size, limit: ledger.limit },
    problem: typeof ledger === 'string' ? ledger : null,
    typicalSeconds: typical === undefined ? null : Math.round(typical / 1000),
    bytes: {
      active: sizes(running.flatMap(({ image }) => (image === undefined ? [] : [image]))),
      waiting: sizes(waiting),
    },
    active: running.map((sync, index) => activeSync(sync, estimates[index], nowMs)),
    waiting: waiting.map((image, index) => ({
      position: index + 1,
      image: keyOf(image),
      queuedAt: image.status?.queuedAt ?? image.metadata.creationTimestamp ?? null,
      size: String(image.spec.diskSize),
      heldBackBy: heldBackBy(image) ?? null,
      message: plain(image.status?.message ?? 'the operator has not seen it yet'),
      ...estimatesOf(starts.get(image), typical),
    })),
  };
}

function estimatesOf(startMs: number | undefined, typical: number | undefined) {
  const endMs = startMs === undefined || typical === undefined ? undefined : startMs + typical;
  return { estimatedStart: instant(startMs), estimatedEnd: instant(endMs) };
}

const sizes = (images: readonly VMDiskImage[]): number => images.reduce((sum, { spec }) => sum + bytesOf(spec.diskSize), 0);

interface Running {
  readonly key: string;
  readonly image: VMDiskImage | undefined;
  readonly entry: LedgerEntry | undefined;
}

function runningByLedger(images: readonly VMDiskImage[], { entries }: Ledger): Running[] {
  const byUid = new Map(images.map((image) => [image.metadata.uid, image]));
  return [...entries]
    .sort(([, a], [, b]) => a.seq - b.seq)
    .map(([uid, entry]) => ({ key: entry.image, image: byUid.get(uid), entry }));
}

/** Second best: what the images say of themselves. */
function runningByPhase(images: readonly VMDiskImage[]): Running[] {
  const startOf = ({ status }: VMDiskImage): string => status?.attempt?.startedAt ?? '';
  return images
    .filter(({ status }) => status?.phase === 'Syncing')
    .sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
    .map((image) => ({ key: keyOf(image), image, entry: undefined }));
}

/** A complete download that only lacks its snapshot needs no slot. */
function isWaiting(image: VMDiskImage): boolean {
  const isComplete = conditionOf(image, VMDiskImageCondition.Imported)?.status === 'True' && image.status?.phase === 'Syncing';
  return image.metadata.deletionTimestamp === undefined && !hasArtifact(image) && !isGivenUp(image) && !isComplete;
}

function heldBackBy(image: VMDiskImage): string | undefined {
  const { metadata, status } = image;
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const reconciling = conditionOf(image, VMDiskImageCondition.Reconciling);
  // A failure that was answered with another try is about to be forgotten.
  if (!isCurrent || reconciling === undefined || status?.retry?.gaveUp !== undefined) return undefined;
  return reconciling.reason === 'Progressing' || reconciling.reason === 'UpToDate' ? undefined : reconciling.reason;
}

function downloadOf({ image, entry }: Running, nowMs: number): Download {
  const attempt = image?.status?.attempt;
  // What the status says may still be about the attempt before.
  const isSame = entry === undefined || attempt?.number === entry.attempt;
  const percent = isSame ? Number.parseFloat(image?.status?.progress ?? '') : Number.NaN;
  return {
    startedMs: Date.parse(entry?.since ?? attempt?.startedAt ?? '') || nowMs,
    progress: Number.isNaN(percent) ? undefined : Math.min(100, Math.max(0, percent)),
    reportedMs: Date.parse(attempt?.progressedAt ?? '') || nowMs,
  };
}

function activeSync(sync: Running, endMs: number | undefined, nowMs: number): ActiveSync {
  const { key, image, entry } = sync;
  const { progress, startedMs, reportedMs } = downloadOf(sync, nowMs);
  const minutes = (reportedMs - startedMs) / 60_000;
  const isRated = progress !== undefined && progress > 0 && progress < 100 && minutes > 0;
  const isEnding = entry?.state === 'closing';
  return {
    image: key,
    attempt: entry?.attempt ?? image?.status?.attempt?.number ?? null,
    state: isEnding ? 'ending' : 'syncing',
    since: entry?.since ?? image?.status?.attempt?.startedAt ?? null,
    size: image === undefined ? null : String(image.spec.diskSize),
    progress: progress ?? null,
    percentPerMinute: isRated ? Math.round((progress / minutes) * 10) / 10 : null,
    estimatedEnd: isEnding ? null : instant(endMs),
  };
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(Math.round(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
