/** Deleting a workspace: what runs, then what it stood on, then the namespace, and with the finalizer the workspace itself. */
import { finalizers, labels, labelValue, type VMDiskImage, type Workspace } from '@terrain/api';
import {
  after,
  controllerUid,
  done,
  isNotFound,
  type KubeObject,
  Resource,
  type ResourceType,
  type Result,
} from '@terrain/runtime';
import { instantMs } from '#controllers/shared/condition.ts';
import { imageType, workspaceType } from '#controllers/shared/kind.ts';
import { blockedWords, holdersOf, isGoing, patienceMs, removeByUid } from '#controllers/shared/removal.ts';
import { namespaceType } from '#platform/core.ts';
import { deploymentType, jobType } from '#platform/workload.ts';
import { abreast } from './abreast.ts';
import { groundTypes, imageNames, workloadTypes } from './children.ts';
import { namespaceOf } from './facts.ts';
import { isHeld } from './image.ts';
import { isWantedElsewhere } from './observe.ts';
import type { Pass } from './pass.ts';
import { no, type Snapshot, type StoredWorkspace } from './snapshot.ts';
import { statusOf } from './status.ts';

/** Looks live at each step: what a cache has not shown yet must not be left behind. */
export async function removeWorkspace(pass: Pass, snapshot: Snapshot): Promise<Result> {
  const { deps, key, writer } = pass;
  const { workspace } = snapshot;
  const workloads = await clearAll(pass, workspace, workloadTypes);
  if (workloads.length > 0) return waitFor(pass, snapshot, workloads.map(describe));
  const ground = await clearAll(pass, workspace, groundTypes);
  if (ground.length > 0) return waitFor(pass, snapshot, ground.map(describe));
  const namespace = await liveNamespace(pass, workspace);
  if (namespace !== undefined && controllerUid(namespace) === workspace.metadata.uid) {
    if (isGoing(namespace) || (await removeChild(pass, namespaceType, namespace)) === 'going')
      return waitFor(pass, snapshot, [describeNamespace(namespace)]);
  }
  await releaseImages(pass, snapshot);
  deps.quiet.forget(key);
  deps.awaitPlatform(key, false);
  await writer.removeFinalizer<Workspace>(workspaceType, workspace, finalizers.pelotechCleanup);
  return done;
}

/** Deployments and Jobs with their pods, which use the volumes and the networks. */
export const removeChild = ({ writer }: Pass, type: ResourceType, object: KubeObject): Promise<'gone' | 'going'> =>
  removeByUid(writer, type, object, type === deploymentType || type === jobType ? 'Foreground' : 'Background');

/** Deletes all of these kinds at once, so that one that is held up holds up no other; gives those that are left. */
async function clearAll(pass: Pass, workspace: StoredWorkspace, types: readonly ResourceType[]): Promise<KubeObject[]> {
  const found = await Promise.all(
    types.map(async (type) => (await liveChildren(pass, workspace, type)).map((object) => ({ type, object }))),
  );
  const gone = new Set<KubeObject>();
  await abreast(found.flat(), async ({ type, object }) => {
    if (!isGoing(object) && (await removeChild(pass, type, object)) === 'gone') gone.add(object);
  });
  return found.flatMap((ofType) => ofType.map(({ object }) => object)).filter((object) => !gone.has(object));
}

async function liveChildren({ deps, signal }: Pass, workspace: StoredWorkspace, type: ResourceType): Promise<KubeObject[]> {
  const { name, uid } = workspace.metadata;
  const labelSelector = `${labels.workspace}=${labelValue(name)}`;
  const at = type.namespaced ? { namespace: namespaceOf(workspace) } : {};
  try {
    const { items } = await new Resource<KubeObject>(deps.api, type).list(at, { labelSelector, signal });
    return items.filter((object) => controllerUid(object) === uid);
  } catch (error) {
    // A kind nobody serves has no objects.
    if (isNotFound(error)) return [];
    throw error;
  }
}

interface LiveNamespace extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

const liveNamespace = ({ deps, signal }: Pass, workspace: StoredWorkspace): Promise<LiveNamespace | undefined> =>
  new Resource<LiveNamespace>(deps.api, namespaceType).find({ name: namespaceOf(workspace) }, { signal });

function describe(object: KubeObject): string {
  const { message = '' } = (object as { status?: { message?: string } }).status ?? {};
  const isOurs = object.metadata.finalizers?.includes(finalizers.pelotechCleanup) === true;
  return `${holdersOf(object)}${isOurs && message !== '' ? `: ${message}` : ''}`;
}

/** What the namespace controller itself says it waits for. */
function describeNamespace({ metadata, status }: LiveNamespace): string {
  const told = (status?.conditions ?? [])
    .filter(({ type, status: is }) => is === 'True' && type !== 'NamespaceDeletionDiscoveryFailure')
    .map(({ message }) => message);
  return `Namespace ${metadata.name}${told.length === 0 ? '' : `: ${told.join('; ')}`}`;
}

async function waitFor({ writer }: Pass, snapshot: Snapshot, left: readonly string[]): Promise<Result> {
  const { workspace, nowMs } = snapshot;
  const leftMs = (instantMs(workspace.metadata.deletionTimestamp) ?? nowMs) + patienceMs - nowMs;
  const isPatient = leftMs > 0;
  const because = isPatient ? no('Deleting', 'is being deleted') : no('CleanupBlocked', blockedWords(left));
  await writer.status<Workspace>(workspaceType, workspace, statusOf(snapshot, { because, blockers: new Map() }));
  return after(isPatient ? leftMs : patienceMs);
}

/** Images made for workspaces are left to the image controller when no workspace waits for them any more. */
async function releaseImages(pass: Pass, { workspace, policy }: Snapshot): Promise<void> {
  const { deps, signal } = pass;
  const images = new Resource<VMDiskImage>(deps.api, imageType);
  for (const name of imageNames(workspace.spec)) {
    if (isWantedElsewhere(deps.informers, name, workspace.metadata.uid)) continue;
    const image = await images.find({ name, namespace: policy.imageNamespace }, { signal });
    if (image !== undefined && isHeld(image) && !isGoing(image)) await releaseImage(pass, workspace, image);
  }
}

/** From now on the image goes when nobody has referred to it for as long as the policy says. */
export async function releaseImage({ deps, signal }: Pass, { metadata }: StoredWorkspace, image: VMDiskImage): Promise<void> {
  const { name, namespace, uid } = image.metadata;
  const createdBy = labelValue(`workspace.${metadata.name}`);
  try {
    await new Resource<VMDiskImage>(deps.api, imageType).mergePatch(
      { name, namespace },
      { metadata: { uid, labels: { [labels.createdBy]: createdBy } } },
      { signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
