/** One pass over one workspace: the only place, with the files it calls, where decisions become effects. */
import { finalizers, type VMDiskImage, type Workspace } from '@terrain/api';
import { after, done, ForeignObjectError, type KubeObject, type ResourceType, type Result, resourcePath } from '@terrain/runtime';
import { imageType, machineType, workspaceType } from '#controllers/shared/kind.ts';
import { isGoing } from '#controllers/shared/removal.ts';
import { secretType } from '#platform/core.ts';
import { abreast } from './abreast.ts';
import { decide, type Item, namespaceTaken, type Part, type Plan } from './decide.ts';
import { desiredKeySecret } from './deploy.ts';
import { happenings } from './events.ts';
import { isPaused, namespaceOf } from './facts.ts';
import { toRelease } from './image.ts';
import { observe } from './observe.ts';
import { blockerOf, isCurrent, type Pass, save } from './pass.ts';
import { releaseImage, removeChild, removeWorkspace } from './removal.ts';
import { childId, type Finding, type Snapshot, type StoredWorkspace } from './snapshot.ts';
import { newSshKey } from './ssh-key.ts';

/** Makes a workspace be as it should, as far as that is possible now. */
export async function reconcileWorkspace(pass: Pass): Promise<Result> {
  const { deps, key, writer } = pass;
  await deps.ready;
  const snapshot = observe(deps, key);
  if (snapshot === undefined) {
    deps.quiet.forget(key);
    deps.awaitPlatform(key, false);
    return done;
  }
  const { workspace } = snapshot;
  const hasFinalizer = workspace.metadata.finalizers?.includes(finalizers.pelotechCleanup) === true;
  if (!hasFinalizer && !isGoing(workspace) && !isPaused(workspace)) {
    await writer.addFinalizer<Workspace>(workspaceType, workspace, finalizers.pelotechCleanup);
    return after(0);
  }
  const decision = decide(snapshot);
  switch (decision.kind) {
    case 'remove':
      return removeWorkspace(pass, snapshot);
    case 'rest':
      return save(pass, snapshot, { because: decision.because, blockers: new Map() });
    case 'work':
      return work(pass, snapshot, decision.plan);
  }
}

/** What a pass has changed so far. */
interface Progress {
  readonly children: Map<string, KubeObject>;
  readonly images: Map<string, VMDiskImage>;
  readonly blockers: Map<Part, Finding>;
  namespace: KubeObject | undefined;
  /** Whether anything was made or changed. */
  isNews: boolean;
}

async function work(pass: Pass, snapshot: Snapshot, plan: Plan): Promise<Result> {
  const { workspace } = snapshot;
  const isChecked = hasNews(plan);
  if (isChecked && !(await isCurrent(pass, workspace))) return done;
  const progress: Progress = {
    children: new Map(snapshot.children),
    images: new Map(snapshot.images),
    blockers: new Map(),
    namespace: snapshot.namespace,
    isNews: false,
  };
  let tried = plan;
  // One after the other: no pod may exist before what isolates it.
  for (const item of plan.ground) {
    await ensure(pass, progress, item);
    if (progress.namespace === undefined) break;
  }
  if (!progress.blockers.has('namespace')) {
    await abreast([() => createImages(pass, progress, snapshot, plan), ...ensureEach(pass, progress, plan.base)], run);
    if (plan.needsKey) await createKey(pass, progress, workspace);
    // What was made just now allows for more.
    const next = progress.isNews ? decide({ ...snapshot, ...progress }) : ({ kind: 'work', plan } as const);
    if (next.kind !== 'work') return after(0);
    if (!isChecked && hasNews(next.plan) && !(await isCurrent(pass, workspace))) return done;
    const made = idsOf(plan.base);
    const base = next.plan.base.filter((item) => !made.has(idOf(item)));
    await abreast(ensureEach(pass, progress, [...base, ...next.plan.rest]), run);
    await clear(pass, progress, snapshot, next.plan);
    for (const image of toRelease(snapshot)) await releaseImage(pass, workspace, image);
    tried = { ...next.plan, base: [...plan.base, ...base] };
  }
  const now: Snapshot = { ...snapshot, ...progress };
  const result = await save(pass, now, { blockers: progress.blockers });
  return progress.isNews && hasMore(tried, now, progress) ? after(0) : result;
}

const idOf = ({ type, desired }: Item): string => childId(type, desired.metadata.name);
const idsOf = (items: readonly Item[]): ReadonlySet<string> => new Set(items.map(idOf));
const isNew = ({ observed }: Item): boolean => observed === undefined;

/** Whether something is made or removed, which names no version of the workspace it is done for. */
const hasNews = ({ ground, base, rest, images, needsKey, leftover }: Plan): boolean =>
  leftover.length > 0 ||
  needsKey ||
  images.some(({ create }) => create !== undefined) ||
  [...ground, ...base, ...rest].some(isNew);

/** Whether what was made allows for more at once: the events of our own writes wake nobody. */
function hasMore(plan: Plan, now: Snapshot, { blockers }: Progress): boolean {
  const next = decide(now);
  if (next.kind !== 'work') return false;
  const tried = idsOf([...plan.ground, ...plan.base, ...plan.rest]);
  const isUntried = (item: Item): boolean => isNew(item) && !tried.has(idOf(item)) && !blockers.has(item.part);
  const cleared = new Set(plan.leftover.map(({ object }) => object.metadata.uid));
  return (
    [...next.plan.base, ...next.plan.rest].some(isUntried) ||
    next.plan.leftover.some(({ object }) => !cleared.has(object.metadata.uid))
  );
}

const run = (job: () => Promise<void>): Promise<void> => job();

/** One job for each part. What several objects of one part need of each other is kept: those of a part are made one after the other. */
function ensureEach(pass: Pass, progress: Progress, items: readonly Item[]): (() => Promise<void>)[] {
  return [...Map.groupBy(items, ({ part }) => part).values()].map((part) => async () => {
    for (const item of part) await ensure(pass, progress, item);
  });
}

async function ensure(pass: Pass, progress: Progress, { type, desired, observed, part, isFixed }: Item): Promise<void> {
  const { writer } = pass;
  const { name } = desired.metadata;
  if (progress.blockers.has(part) && part !== 'namespace') return;
  try {
    const isLeft = isFixed === true && observed !== undefined;
    const made = isLeft
      ? observed
      : isFixed
        ? await writer.create(type, desired)
        : await withoutStrangers(pass, type, desired, await writer.child(type, desired, observed));
    if (made !== observed) progress.isNews = true;
    if (desired.kind === 'Namespace') progress.namespace = made;
    else progress.children.set(childId(type, name), made);
  } catch (error) {
    const what = `${desired.kind} ${name}`;
    if (desired.kind === 'Namespace' && error instanceof ForeignObjectError) {
      progress.blockers.set(part, namespaceTaken(`namespace ${name}`));
      return;
    }
    progress.blockers.set(part, blockerOf(error, what, { words: type !== secretType }));
  }
}

/** The child once everything is out of it that others put there; see strangers.ts. */
async function withoutStrangers(
  { deps, signal }: Pass,
  type: ResourceType,
  desired: KubeObject,
  made: KubeObject,
): Promise<KubeObject> {
  const strangers = made.metadata.deletionTimestamp === undefined ? deps.strangers.in(desired, made) : [];
  if (strangers.length === 0) return made;
  const { name = '', namespace, resourceVersion } = made.metadata;
  const answer = await deps.api.request<KubeObject>({
    method: 'PATCH',
    path: resourcePath(type, { name, namespace }),
    contentType: 'application/json-patch+json',
    body: [
      // Refused with a conflict when somebody was faster: the places were found in this version.
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      ...strangers.map((path) => ({ op: 'remove', path })),
    ],
    signal,
  });
  deps.strangers.removed(desired, answer);
  return answer;
}

/** Made once: machines have the public half from their first start. */
function createKey(pass: Pass, progress: Progress, workspace: StoredWorkspace): Promise<void> {
  const desired = desiredKeySecret(workspace, newSshKey(workspace.metadata.name));
  return ensure(pass, progress, { type: secretType, desired, observed: undefined, part: 'deploy', isFixed: true });
}

/** By POST, under a name others may want at the same moment: whoever comes second finds it there. */
async function createImages(
  { deps, writer }: Pass,
  progress: Progress,
  { workspace }: Snapshot,
  { images }: Plan,
): Promise<void> {
  for (const { name, create } of images) {
    if (create === undefined) continue;
    const { namespace } = create.metadata;
    try {
      const image = await writer.create<VMDiskImage>(imageType, create);
      progress.images.set(name, image);
      progress.isNews = true;
      deps.record(workspace, happenings.imageCreated(`${namespace}/${name}`));
    } catch (error) {
      if (error instanceof ForeignObjectError) {
        progress.images.set(name, error.object as VMDiskImage);
        progress.isNews = true;
      } else progress.blockers.set(`VMDiskImage/${name}`, blockerOf(error, `VMDiskImage ${namespace}/${name}`));
    }
  }
}

/** Takes away what the spec does not ask for any more. */
async function clear(pass: Pass, progress: Progress, { workspace }: Snapshot, { leftover }: Plan): Promise<void> {
  for (const { type, object } of leftover) {
    const { name } = object.metadata;
    progress.isNews = true;
    if ((await removeChild(pass, type, object)) === 'gone') progress.children.delete(childId(type, name));
    const what = type === machineType ? `machine ${name}` : `${object.kind} ${namespaceOf(workspace)}/${name}`;
    pass.deps.record(workspace, happenings.removed(what));
  }
}
