/** A workspace and everything that belongs to it, as it changes. */
import { type Workspace, workspaceNamespace } from '@terrain/api';
import { type Connection, type Informer, Informers, type KubeObject, systemClock } from '@terrain/runtime';
import {
  belonging,
  type ChildKind,
  childKinds,
  getWorkspace,
  imageKind,
  imageNamespace,
  imagesAmong,
  kindText,
  partsOf,
  workspaceType,
} from './live.ts';
import { type TreeNode, treeOf } from './tree.ts';

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Told how things are at the beginning, and after every change. */
  readonly onTree: (tree: TreeNode) => void;
  /** Told once, when there are any. */
  readonly onForbidden: (kinds: readonly string[]) => void;
}

/** Changes come in bursts; what is drawn more often than this nobody can read. */
const burstMs = 100;

/** Follows a workspace by watches until it is gone or the signal is aborted; says which. */
export async function followTree(connection: Connection, name: string, options: FollowOptions): Promise<'gone' | 'stopped'> {
  const { signal, onTree, onForbidden } = options;
  const first = await getWorkspace(connection, name);
  const { objects, forbidden } = await partsOf(connection, first);
  onTree(treeOf(first, objects));
  if (forbidden.length > 0) onForbidden(forbidden);
  await using informers = new Informers({ api: connection, clock: systemClock, freeze: false });
  const workspaces = informers.get<Workspace>(workspaceType, { fieldSelector: `metadata.name=${name}` });
  const allowed = (childKind: ChildKind): boolean => !forbidden.includes(kindText(childKind));
  const namespace = first.status?.namespace ?? workspaceNamespace(name);
  const children = childKinds
    .filter(allowed)
    .map((childKind) => ({ ...childKind, informer: informerOf(informers, childKind, namespace) }));
  const images = allowed(imageKind) ? informerOf(informers, imageKind, await imageNamespace(connection)) : undefined;
  const look = (): void => {
    const workspace = workspaces.store.get(name);
    if (workspace === undefined) return;
    const found = children.flatMap(({ informer, apiVersion, kind }) =>
      [...informer.store.values()].sort(byName).map((object) => ({ ...object, apiVersion, kind })),
    );
    const own = images === undefined ? [] : imagesAmong(workspace.spec, [...images.store.values()]);
    onTree(treeOf(workspace, [...own, ...belonging(name, found)]));
  };
  informers.start();
  try {
    await informers.synced(signal);
    return await untilGone(informers, () => workspaces.store.get(name) === undefined, look, signal);
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  }
}

/** As lists have them: one that is made again stays where it was. */
const byName = (a: KubeObject, b: KubeObject): number => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);

/** What is in a Secret is nobody's business here. */
const informerOf = (informers: Informers, { kind, type }: ChildKind, namespace: string): Informer<KubeObject> =>
  informers.get<KubeObject>(type, { namespace, ...(kind === 'Secret' ? { metadataOnly: true } : {}) });

function untilGone(
  informers: Informers,
  isGone: () => boolean,
  look: () => void,
  signal: AbortSignal,
): Promise<'gone' | 'stopped'> {
  const { promise, resolve } = Promise.withResolvers<'gone' | 'stopped'>();
  let timer: NodeJS.Timeout | undefined;
  const onChange = (): void => {
    if (isGone()) resolve('gone');
    timer ??= setTimeout(() => {
      timer = undefined;
      look();
    }, burstMs);
  };
  for (const informer of informers) informer.onChange(onChange);
  signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  if (signal.aborted) resolve('stopped');
  onChange();
  return promise.finally(() => clearTimeout(timer));
}
