import type { Condition } from '@terrain/api';
import { type Connection, type KubeObject, nameOf, type ResourceType, waitForObject } from '@terrain/runtime';
import { humanDuration } from '../output/duration.ts';
import { CommandError, ExitCode } from '../output/exit.ts';

interface Reporting extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly message?: string };
}

/** The kinds somebody acts on in this version, and where they are in the API. */
const actedUpon: Readonly<Record<string, ResourceType>> = {
  DataSync: { group: 'pelotech.ot', version: 'v1alpha1', plural: 'datasyncs', namespaced: true },
  VirtualMachine: { group: 'pelotech.ot', version: 'v1alpha1', plural: 'virtualmachines', namespaced: true },
  VMDiskImage: { group: 'pelotech.ot', version: 'v1alpha1', plural: 'vmdiskimages', namespaced: true },
  Workspace: { group: 'pelotech.ot', version: 'v1alpha1', plural: 'workspaces', namespaced: false },
};

export interface ReadinessOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onReady: (done: number, total: number) => void;
}

interface Problem {
  readonly words: string;
  /** Waiting longer would not have helped. */
  readonly isGivenUp: boolean;
}

/** Waits until every object whose kind has a controller is Ready. Fails with the objects' own messages; with the code for late if none gave up. */
export async function waitUntilReady(
  connection: Connection,
  objects: readonly KubeObject[],
  options: ReadinessOptions,
): Promise<void> {
  const waited = objects.filter(({ kind, apiVersion }) => apiVersion.startsWith('pelotech.ot/') && kind in actedUpon);
  let done = 0;
  const problems = await Promise.all(
    waited.map(async (object) => {
      const problem = await problemOf(connection, object, options);
      if (problem === undefined) options.onReady(++done, waited.length);
      return problem === undefined ? [] : [{ ...problem, words: `${nameOf(object)}: ${problem.words}` }];
    }),
  );
  options.signal.throwIfAborted();
  const found = problems.flat();
  if (found.length === 0) return;
  const isLate = !found.some(({ isGivenUp }) => isGivenUp);
  const what = `not all examples became ready${isLate ? ` within ${humanDuration(options.timeoutMs)}` : ''}:`;
  throw new CommandError([what, ...found.map(({ words }) => words)].join('\n  '), isLate ? ExitCode.timeout : ExitCode.failed);
}

/** Waits for one object; answers why it is not Ready when it gave up or the time is up. */
async function problemOf(connection: Connection, object: KubeObject, options: ReadinessOptions): Promise<Problem | undefined> {
  const { name = '', namespace = 'default' } = object.metadata;
  const givenUp = new AbortController();
  let words = 'nothing was reported about it';
  const judge = (seen: Reporting | undefined): string | undefined => {
    words = seen?.status?.message ?? words;
    // Only a person can help then, so there is nothing to wait for.
    if (isTrue(seen, 'Stalled')) givenUp.abort();
    return isTrue(seen, 'Ready') ? undefined : words;
  };
  const signal = AbortSignal.any([options.signal, givenUp.signal]);
  const wait = waitForObject(connection, actedUpon[object.kind] as ResourceType, { name, namespace }, judge, {
    timeoutMs: options.timeoutMs,
    signal,
  });
  return wait.then(
    () => undefined,
    () => ({ words, isGivenUp: givenUp.signal.aborted }),
  );
}

function isTrue(object: Reporting | undefined, type: string): boolean {
  return object?.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
