/** What must be true of images and their children at every version of the cluster. */
import { ledgerName, parseLedger, sourceHash, type VMDiskImage } from '@terrain/api';
import { controllerUid } from '@terrain/runtime';
import type { Invariant, World } from '@terrain/runtime/testing';
import { namespaceOfOperator } from './platform.ts';
import { type Thing, types } from './types.ts';

/** S4: Ready says what is so: a snapshot that is ready, ours, and of the current source. */
const readyIsTrue: Invariant = (world, { resource, object, type }) => {
  if (resource.plural !== 'vmdiskimages' || type === 'DELETED') return undefined;
  const image = object as unknown as VMDiskImage;
  const ready = image.status?.conditions?.find((condition) => condition.type === 'Ready');
  if (ready?.status !== 'True' || ready.observedGeneration !== image.metadata.generation) return undefined;
  const { artifact } = image.status ?? {};
  if (artifact?.sourceHash !== sourceHash(image.spec))
    return `${image.metadata.name} is Ready with the artifact of another source`;
  const cut = world.get(types.snapshots, { namespace: image.metadata.namespace ?? '', name: artifact.volumeSnapshot }) as
    | Thing
    | undefined;
  if (cut === undefined) return `${image.metadata.name} is Ready without a snapshot`;
  if (controllerUid(cut) !== image.metadata.uid) return `${image.metadata.name} is Ready with a snapshot of somebody else`;
  return cut.status?.readyToUse === true ? undefined : `${image.metadata.name} is Ready with a snapshot that is not`;
};

/** S8: what was concluded stays concluded. */
const neverBack: Invariant = (_, { resource, object, previous, type }) => {
  if (resource.plural !== 'vmdiskimages' || type !== 'MODIFIED' || previous === undefined) return undefined;
  const [now, before] = [object, previous].map((image) => (image as unknown as VMDiskImage).status ?? {});
  const figures: readonly (readonly [string, number | undefined, number | undefined])[] = [
    ['observedGeneration', now?.observedGeneration, before?.observedGeneration],
    ['attempt.number', now?.attempt?.number, before?.attempt?.number],
    ['retry.lastAttempt', now?.retry?.lastAttempt, before?.retry?.lastAttempt],
  ];
  const times = (status: VMDiskImage['status'], name: string) => status?.conditions?.find(({ type: of }) => of === name);
  for (const { type: name, observedGeneration = 0, lastTransitionTime } of before?.conditions ?? []) {
    const condition = times(now, name);
    if (condition === undefined) return `${object.metadata.name} lost its condition ${name}`;
    // Times are the server's, which tells them in whole seconds: two operators may differ by one.
    const isEarlier = Date.parse(condition.lastTransitionTime) < Date.parse(lastTransitionTime) - 1000;
    if ((condition.observedGeneration ?? 0) < observedGeneration || isEarlier)
      return `condition ${name} of ${object.metadata.name} went back from ${observedGeneration} ${lastTransitionTime} to ${condition.observedGeneration} ${condition.lastTransitionTime}`;
  }
  const back = figures.find(([, a, b]) => (a ?? 0) < (b ?? 0));
  return back === undefined ? undefined : `${back[0]} of ${object.metadata.name} went from ${back[2]} to ${back[1]}`;
};

/** S3: no more failures than the policy allows, by the policy in force when the last one was counted. */
const failuresBounded: Invariant = (world, { resource, object, previous, type }) => {
  if (resource.plural !== 'vmdiskimages' || type !== 'MODIFIED') return undefined;
  const [now = 0, before = 0] = [object, previous].map((image) => (image as unknown as VMDiskImage)?.status?.retry?.failures);
  if (now <= before) return undefined;
  const limit = Number(policyText(world, 'retryLimit') ?? 2);
  return now > limit + 1 ? `${object.metadata.name} failed ${now} times, ${limit + 1} are allowed` : undefined;
};

function policyText(world: World, key: string): string | undefined {
  const ledger = world.get<Thing>(types.configMaps, { namespace: namespaceOfOperator, name: ledgerName });
  const reading = parseLedger(ledger?.data);
  return reading.kind === 'ledger' ? reading.ledger.policy.get(key) : undefined;
}

/** S5: nothing that an image offers to clone from is deleted while the image is to stay. */
const offeredStays: Invariant = (world, { resource, object, previous, type }) => {
  if (resource.plural !== 'volumesnapshots' && resource.plural !== 'datavolumes') return undefined;
  const isGoing = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
  if (!isGoing || previous?.metadata.deletionTimestamp !== undefined) return undefined;
  const { name, namespace } = object.metadata;
  const owner = (world.list(types.images) as unknown as VMDiskImage[]).find(
    ({ metadata, status }) =>
      metadata.namespace === namespace &&
      metadata.deletionTimestamp === undefined &&
      (status?.artifact?.volumeSnapshot === name || status?.artifact?.dataVolume === name),
  );
  return owner === undefined ? undefined : `${object.kind} ${name} is deleted, and ${owner.metadata.name} names it`;
};

/** By the name they are reported under. */
export const imageInvariants: Readonly<Record<string, Invariant>> = {
  'S3 failures are bounded': failuresBounded,
  'S4 Ready is true': readyIsTrue,
  'S5 what is offered stays': offeredStays,
  'S8 nothing goes back': neverBack,
};
