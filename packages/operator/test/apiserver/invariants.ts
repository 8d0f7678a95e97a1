/** What must be true at every version of the cluster, as the observer checks it. */
import { type LedgerEntry, labels, ledgerName, parseLedger, sourceHash, type VMDiskImage } from '@terrain/api';
import { controllerUid, type KubeObject } from '@terrain/runtime';
import type { Invariant, ObservedEvent, World } from '@terrain/runtime/testing';
import { imageInvariants } from './image-invariants.ts';
import { namespaceOfOperator } from './platform.ts';
import { type Thing, types } from './types.ts';

/** The kinds the invariants are about. */
export const observedKinds = [types.images, types.dataVolumes, types.snapshots, types.configMaps];

const isLedger = ({ resource, object }: ObservedEvent): boolean =>
  resource.plural === 'configmaps' && object.metadata.name === ledgerName && object.metadata.namespace === namespaceOfOperator;

function entriesOf(object: KubeObject | undefined): ReadonlyMap<string, LedgerEntry> {
  const reading = parseLedger((object as Thing | undefined)?.data);
  return reading.kind === 'ledger' ? reading.ledger.entries : new Map();
}

function ledgerOf(world: World) {
  const reading = parseLedger(
    (world.get(types.configMaps, { namespace: namespaceOfOperator, name: ledgerName }) as Thing | undefined)?.data,
  );
  return reading.kind === 'ledger' ? reading.ledger : undefined;
}

const isUnfinished = ({ status }: Thing): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
const attemptOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.[labels.attempt]);
/** What anybody else owns may bear our labels, and is none of ours. */
const imageUidOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'VMDiskImage')?.uid;

/** S1: keys added to the ledger => entries <= the limit in that same version. A ledger that is created holds what was found running. */
const withinLimit: Invariant = (_, event) => {
  if (!isLedger(event) || event.type !== 'MODIFIED') return undefined;
  const before = entriesOf(event.previous);
  const reading = parseLedger((event.object as Thing).data);
  if (reading.kind !== 'ledger') return undefined;
  const { entries, limit } = reading.ledger;
  const added = [...entries.keys()].filter((uid) => !before.has(uid));
  return added.length > 0 && entries.size > limit
    ? `${added.length} entries were added, ${entries.size} are more than the limit ${limit}`
    : undefined;
};

/** S1: a download that is not finished has an entry. */
const downloadsHaveSlots: Invariant = (world, event) => {
  if (!isLedger(event) && event.resource.plural !== 'datavolumes') return undefined;
  const ledger = ledgerOf(world);
  if (ledger === undefined) return undefined;
  for (const dataVolume of world.list(types.dataVolumes) as Thing[]) {
    const uid = imageUidOf(dataVolume);
    if (uid === undefined || Number.isNaN(attemptOf(dataVolume)) || !isUnfinished(dataVolume)) continue;
    if (ledger.entries.get(uid)?.attempt !== attemptOf(dataVolume))
      return `DataVolume ${dataVolume.metadata.name} may download, and the ledger has no entry for it`;
  }
  return undefined;
};

/** S6: at most one DataVolume for an image and attempt, ever. */
function oneVolumePerAttempt(): Invariant {
  const seen = new Map<string, string>();
  return (_, { type, resource, object }) => {
    if (resource.plural !== 'datavolumes' || type !== 'ADDED' || Number.isNaN(attemptOf(object))) return undefined;
    const id = `${controllerUid(object)}/${attemptOf(object)}`;
    const known = seen.get(id);
    seen.set(id, object.metadata.uid ?? '');
    return known !== undefined && known !== object.metadata.uid
      ? `a second DataVolume ${object.metadata.name} for one attempt`
      : undefined;
  };
}

/** Numbers of attempts only grow, and the ledger's seq with every admission. */
function numbersGrow(): Invariant {
  const attempts = new Map<string, number>();
  let seq = 0;
  return (_, event) => {
    if (!isLedger(event)) return undefined;
    const before = entriesOf(event.previous);
    for (const [uid, entry] of [...entriesOf(event.object)].sort(([, a], [, b]) => a.seq - b.seq)) {
      if (before.get(uid)?.seq === entry.seq) continue;
      if (event.type === 'MODIFIED' && entry.seq <= seq)
        return `entry ${entry.image} has seq ${entry.seq}, ${seq} was given before`;
      const last = attempts.get(uid) ?? 0;
      if (event.type === 'MODIFIED' && entry.attempt <= last)
        return `attempt ${entry.attempt} of ${entry.image} was admitted, and ${last} before it`;
      attempts.set(uid, Math.max(last, entry.attempt));
      seq = Math.max(seq, entry.seq);
    }
    return undefined;
  };
}

interface Place {
  readonly queuedAt: number;
  readonly ticket: bigint;
  readonly key: string;
}

const placeOf = ({ metadata, status }: VMDiskImage): Place => ({
  queuedAt: Date.parse(status?.queuedAt ?? ''),
  ticket: BigInt(status?.ticket ?? 0),
  key: `${metadata.namespace}/${metadata.name}`,
});
const compare = (a: Place, b: Place): number =>
  a.queuedAt - b.queuedAt || (a.ticket < b.ticket ? -1 : a.ticket > b.ticket ? 1 : 0) || (a.key < b.key ? -1 : 1);

/** Whether the status tells its place, and that it waits for nothing but a slot. */
const isQueued = ({ metadata, status }: VMDiskImage): boolean =>
  status?.ticket !== undefined &&
  status.observedGeneration === metadata.generation &&
  status.conditions?.find(({ type }) => type === 'Ready')?.reason === 'Queued';

/**
 * S2: nobody is admitted while an image that has its place in the status, and waits for nothing but a slot, stands before him.
 * Only images that stood there when the version of the ledger that is replaced was written: one that joined later may have come
 * after the choice. Those admitted by one write have numbers in the order of their places. `namespaceShare` is beyond this check.
 */
const inOrder: Invariant = (world, event) => {
  if (!isLedger(event) || event.type !== 'MODIFIED') return undefined;
  const before = entriesOf(event.previous);
  const after = entriesOf(event.object);
  const images = world.list(types.images) as unknown as VMDiskImage[];
  const byUid = new Map(images.map((image) => [image.metadata.uid ?? '', image]));
  const admitted = [...after].filter(([uid, { seq }]) => before.get(uid)?.seq !== seq).sort(([, a], [, b]) => a.seq - b.seq);
  const last = admitted.at(-1)?.[0];
  const lastImage = last === undefined ? undefined : byUid.get(last);
  const base = BigInt(event.previous?.metadata.resourceVersion ?? 0);
  const stoodThen = ({ metadata }: VMDiskImage): boolean => BigInt(metadata.resourceVersion ?? 0) <= base;
  const waited = admitted.flatMap(([uid]) => byUid.get(uid) ?? []).filter((image) => isQueued(image) && stoodThen(image));
  for (const [index, image] of waited.slice(1).entries()) {
    const earlier = waited[index];
    if (earlier !== undefined && compare(placeOf(image), placeOf(earlier)) < 0)
      return `one write admitted ${earlier.metadata.name} before ${image.metadata.name}, which stood before it`;
  }
  if (lastImage?.status?.ticket === undefined) return undefined;
  const overtaken = images.find((image) => {
    const { uid = '', annotations = {}, deletionTimestamp } = image.metadata;
    return (
      isQueued(image) &&
      deletionTimestamp === undefined &&
      Object.keys(annotations).length === 0 &&
      stoodThen(image) &&
      !after.has(uid) &&
      !before.has(uid) &&
      compare(placeOf(image), placeOf(lastImage)) < 0
    );
  });
  return overtaken === undefined
    ? undefined
    : `${lastImage.metadata.name} was admitted while ${overtaken.metadata.name} stood before it`;
};

/** S3: no attempt before its backoff is over, unless a person asked for it. */
const backoffKept: Invariant = (world, event) => {
  if (!isLedger(event) || event.type !== 'MODIFIED') return undefined;
  const before = entriesOf(event.previous);
  const images = world.list(types.images) as unknown as VMDiskImage[];
  for (const [uid, entry] of entriesOf(event.object)) {
    if (before.get(uid)?.seq === entry.seq) continue;
    const image = images.find(({ metadata }) => metadata.uid === uid);
    const { nextRetryAt, token, sourceHash: hash, lastAttempt = 0 } = image?.status?.retry ?? {};
    // The attempt that is over got its slot back, so that it can be let go of.
    if (entry.attempt <= lastAttempt) continue;
    const isAsked = image?.metadata.annotations?.['pelotech.ot/retry'] !== token;
    if (image === undefined || nextRetryAt === undefined || isAsked || hash !== sourceHash(image.spec)) continue;
    if (Date.parse(entry.since) < Date.parse(nextRetryAt))
      return `${entry.image} was admitted at ${entry.since}, before ${nextRetryAt}`;
  }
  return undefined;
};

/** All of them. Fresh for each observer, since some remember. */
export const invariants = (): Record<string, Invariant> => ({
  'S1 entries are added within the limit': withinLimit,
  'S1 downloads have slots': downloadsHaveSlots,
  'S2 admissions follow the queue': inOrder,
  'S3 backoff is kept': backoffKept,
  'S6 one DataVolume per attempt': oneVolumePerAttempt(),
  'S6 numbers grow': numbersGrow(),
  ...imageInvariants,
});
