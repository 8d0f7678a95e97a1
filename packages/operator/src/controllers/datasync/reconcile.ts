/** One pass over one DataSync: the only file in which decisions become effects. */
import {
  type DataSync,
  dataSyncKind,
  finalizers,
  type VirtualMachine,
  type VMDiskImage,
  virtualMachineKind,
  vmDiskImageKind,
} from '@terrain/api';
import {
  type ApiTransport,
  after,
  compareVersions,
  done,
  ForeignObjectError,
  type Happening,
  type Informer,
  type KubeObject,
  type ReconcileContext,
  Resource,
  type ResourceType,
  type Result,
  refusalOf,
} from '@terrain/runtime';
import { isLasting, serverWords } from '#platform/refusal.ts';
import { decide, isDeleted, isPaused, leavingOf, type Plan } from './decide.ts';
import { type ImagePatch, releaseOf } from './desired.ts';
import { type ObserveSources, observe, type Snapshot, type StoredDataSync, type StoredImage } from './observe.ts';
import { type Refusal, statusOf } from './status.ts';

const typeOf = ({ group, version, plural }: { group: string; version: string; plural: string }): ResourceType => ({
  group,
  version,
  plural,
  namespaced: true,
});
export const dataSyncType = typeOf(dataSyncKind);
export const imageType = typeOf(vmDiskImageKind);
const machineType = typeOf(virtualMachineKind);

/** A refusal names no object whose change would wake us. */
const refusedAgainMs = 60_000;

export interface DataSyncDeps extends ObserveSources {
  readonly api: ApiTransport;
  /** Resolves when the policy in force is known. */
  readonly ready: Promise<void>;
  readonly record: (object: KubeObject, happening: Happening) => void;
}

interface Pass {
  readonly deps: DataSyncDeps;
  readonly context: Pick<ReconcileContext, 'writer' | 'signal'>;
  readonly images: Map<string, StoredImage>;
  readonly refused: Map<string, Refusal>;
}

export async function reconcileDataSync(deps: DataSyncDeps, key: string, context: Pass['context']): Promise<Result> {
  await deps.ready;
  const seen = observe(deps, key);
  if (seen === undefined) return done;
  const plan = decide(seen);
  const { writer } = context;
  // Deleting or changing an image on the word of an old spec would cost its download: whatever is newer wakes this key.
  if (hasEffects(plan) && !(await isCurrent(deps, seen, context.signal))) return done;
  const pass: Pass = { deps, context, images: new Map(seen.images), refused: new Map() };
  const dataSync = (
    plan.addsFinalizer
      ? await writer.addFinalizer<DataSync>(dataSyncType, seen.dataSync, finalizers.pelotechCleanup)
      : seen.dataSync
  ) as StoredDataSync;
  await create(pass, plan);
  await change(pass, plan);
  await leave(pass, plan, dataSync);
  const now: Snapshot = { ...seen, dataSync, images: pass.images };
  if (isDeleted(now) && !isPaused(now) && leavingOf(now).length === 0) {
    await writer.removeFinalizer<DataSync>(dataSyncType, dataSync, finalizers.pelotechCleanup);
    return done;
  }
  await writer.status<DataSync>(dataSyncType, dataSync, statusOf(now, pass.refused));
  return pass.refused.size === 0 ? done : after(refusedAgainMs);
}

const hasEffects = ({ create: made, change: changed, leave: left }: Plan): boolean =>
  made.length > 0 || changed.length > 0 || left.length > 0;

async function isCurrent({ api }: DataSyncDeps, { dataSync }: Snapshot, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid, generation, deletionTimestamp, annotations } = dataSync.metadata;
  const live = (await new Resource<DataSync>(api, dataSyncType).find({ name, namespace }, { signal }))?.metadata;
  return (
    live?.uid === uid &&
    live.generation === generation &&
    live.deletionTimestamp === deletionTimestamp &&
    JSON.stringify(live.annotations) === JSON.stringify(annotations)
  );
}

/** One after the other, so that items join the queue in the order in which they were written down. */
async function create({ context, images, refused }: Pass, plan: Plan): Promise<void> {
  for (const desired of plan.create) {
    const { name } = desired.metadata;
    try {
      images.set(name, (await context.writer.create<VMDiskImage>(imageType, desired)) as StoredImage);
    } catch (error) {
      if (error instanceof ForeignObjectError) images.set(name, error.object as StoredImage);
      else noteRefusal(refused, name, 'create', error);
    }
  }
}

async function change(pass: Pass, plan: Plan): Promise<void> {
  const changed: StoredImage[] = [];
  for (const { image, patch } of plan.change) {
    try {
      changed.push(await patchImage(pass, image, patch));
    } catch (error) {
      noteRefusal(pass.refused, image.metadata.name, 'change', error);
    }
  }
  await shown(pass, changed);
}

/** Unused images go; used ones lose their owner and stay. Machines are counted live: a cache may not know the newest. */
async function leave(pass: Pass, plan: Plan, dataSync: StoredDataSync): Promise<void> {
  if (plan.leave.length === 0) return;
  const users = await machinesByImage(pass.deps.api, pass.context.signal);
  const released: StoredImage[] = [];
  for (const image of plan.leave) {
    const { namespace, name } = image.metadata;
    const machines = users.get(`${namespace}/${name}`);
    try {
      if (machines !== undefined) released.push(await releaseImage(pass, image, dataSync, machines));
      else if (image.metadata.deletionTimestamp === undefined) await deleteImage(pass, image);
    } catch (error) {
      noteRefusal(pass.refused, name, machines === undefined ? 'delete' : 'release', error);
    }
  }
  await shown(pass, released);
}

async function releaseImage(
  pass: Pass,
  image: StoredImage,
  dataSync: StoredDataSync,
  machines: readonly string[],
): Promise<StoredImage> {
  const released = await patchImage(pass, image, releaseOf(image, dataSync));
  pass.deps.record(dataSync, {
    type: 'Normal',
    reason: 'ImageReleased',
    note: `VMDiskImage ${image.metadata.name} is used by ${machines.slice(0, 3).join(', ')}: it stays, and does not belong to this DataSync any more`,
  });
  return released;
}

async function deleteImage({ context, images }: Pass, image: StoredImage): Promise<void> {
  try {
    if ((await context.writer.delete(imageType, image)) === 'gone') images.delete(image.metadata.name);
  } catch (error) {
    // Its last machine has gone and is still counted: our own rule refuses until the count changes, and that wakes us.
    // When the rule of somebody else changes, nothing does.
    const isCounted = (image.status?.references ?? 0) > 0;
    if (!(isCounted && refusalOf(error) === 'policy')) throw error;
  }
}

async function patchImage({ deps, context, images }: Pass, image: StoredImage, patch: ImagePatch): Promise<StoredImage> {
  const { name, namespace } = image.metadata;
  const { signal } = context;
  const answer = await new Resource<VMDiskImage>(deps.api, imageType).mergePatch({ name, namespace }, patch, { signal });
  images.set(name, answer as StoredImage);
  return answer as StoredImage;
}

/** Waits until the cache shows what was patched: the next pass must not decide on what was there before. */
async function shown({ deps, context }: Pass, patched: readonly StoredImage[]): Promise<void> {
  const newest = patched
    .map(({ metadata }) => metadata.resourceVersion)
    .sort(compareVersions)
    .at(-1);
  if (newest !== undefined) await reached(deps.informers.images, newest, context.signal);
}

function reached(informer: Informer<VMDiskImage>, version: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    informer.whenReached(version, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

/** What the server refuses for good is told in the status, and the other images go on; anything else is tried again as it is. */
function noteRefusal(refused: Pass['refused'], name: string, write: Refusal['write'], error: unknown): void {
  const refusal = refusalOf(error);
  // The deletion of the DataSync itself is on its way too.
  if (refusal === 'terminating') return;
  if (!isLasting(refusal)) throw error;
  // Without the request line, which tells people nothing.
  refused.set(name, { write, words: serverWords(error as Error) });
}

async function machinesByImage(api: ApiTransport, signal: AbortSignal): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>();
  for (const { metadata, spec } of (await new Resource<VirtualMachine>(api, machineType).list({}, { signal })).items) {
    const { name, namespace = '' } = spec.vmDiskImageRef;
    const image = `${namespace === '' ? metadata.namespace : namespace}/${name}`;
    users.set(image, [...(users.get(image) ?? []), `${metadata.namespace}/${metadata.name}`]);
  }
  return users;
}
