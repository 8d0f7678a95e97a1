/** Deletes workspaces and waits until nothing of them is left. */
import { setTimeout as delay } from 'node:timers/promises';
import { labels, type Workspace, workspaceNamespace } from '@terrain/api';
import { ApiError, type Connection, isNotFound, type KubeObject, NoAnswerError, Resource } from '@terrain/runtime';
import { humanDuration } from '../output/duration.ts';
import { CommandError, ExitCode } from '../output/exit.ts';
import { blockersOf, type NamespaceObject } from './blocker.ts';
import { getWorkspace, namespaceType, objectsIn, workspacesOf } from './live.ts';
import { longestMs, throwAll, type WaitOptions } from './wait.ts';

/** How often the cluster is asked what is left: a namespace ends by many small steps that no one watch shows. */
const lookEveryMs = 1000;

/**
 * Guarantees: nothing is deleted unless all are there; only the very objects that were found are deleted, not ones made meanwhile
 * under their names; each is followed to its end, and the error of one that is late names what blocks it.
 */
export async function deleteWorkspaces(
  connection: Connection,
  names: readonly string[],
  { isWaiting, ...options }: WaitOptions & { readonly isWaiting: boolean },
): Promise<void> {
  const found: Workspace[] = [];
  for (const name of names) found.push(await getWorkspace(connection, name));
  for (const { metadata } of found) {
    await workspacesOf(connection)
      .delete({ name: metadata.name }, { uid: metadata.uid ?? '', propagationPolicy: 'Background' })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    options.say(`${metadata.name}: deletion asked for`);
  }
  if (!isWaiting) return;
  const deadline = AbortSignal.timeout(Math.min(options.timeoutMs, longestMs));
  throwAll(
    (await Promise.all(found.map((one) => follow(connection, one, options, deadline)))).filter((one) => one !== undefined),
  );
}

async function follow(
  connection: Connection,
  { metadata: { name, uid } }: Workspace,
  { timeoutMs, signal, say }: WaitOptions,
  deadline: AbortSignal,
): Promise<CommandError | undefined> {
  const either = AbortSignal.any([signal, deadline]);
  let told = '';
  try {
    for (;;) {
      const left = await whatIsLeft(connection, name, uid, either).catch((error: unknown) => {
        if (either.aborted || !mayPass(error)) throw error;
        return 'the API server does not answer; it is asked again';
      });
      if (left === undefined) break;
      if (left !== told) say(`${name}: ${left}`);
      told = left;
      await delay(lookEveryMs, undefined, { signal: either });
    }
    say(`${name}: deleted`);
    return undefined;
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    // Once more without the deadline: the sentence is to name what blocks, however slowly the cluster answers.
    const left = await whatIsLeft(connection, name, uid, signal);
    if (left === undefined) return undefined;
    return new CommandError(`${name} is not gone after ${humanDuration(timeoutMs)}: ${left}`, ExitCode.timeout);
  }
}

/** A server that is away or busy says nothing about the deletion. */
const mayPass = (error: unknown): boolean => error instanceof NoAnswerError || (error instanceof ApiError && error.code >= 500);

/** Undefined when both the workspace and its namespace are gone. */
async function whatIsLeft(
  connection: Connection,
  name: string,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const live = await workspacesOf(connection).find({ name }, { signal });
  const workspace = live?.metadata.uid === uid ? live : undefined;
  const at = { name: workspaceNamespace(name) };
  const namespaces = new Resource<NamespaceObject & KubeObject>(connection, namespaceType);
  const found = await namespaces.find(at, { signal }).catch((error: unknown) => {
    // Not everybody who may delete a workspace may look at namespaces.
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  });
  // Without our label it is somebody's own, and a new workspace of this name keeps it.
  const namespace = found?.metadata.labels?.[labels.workspace] === name && live === workspace ? found : undefined;
  if (workspace === undefined && namespace === undefined) return undefined;
  const { objects } = namespace === undefined ? { objects: [] } : await objectsIn(connection, at.name);
  return blockersOf({ workspace, namespace, objects });
}
