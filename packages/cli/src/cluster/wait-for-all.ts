import { type Connection, type KubeObject, type ResourceType, waitForObject } from '@terrain/runtime';
import { humanDuration } from '../output/duration.ts';
import { CommandError, ExitCode } from '../output/exit.ts';
import type { Verdict } from '../output/verdict.ts';

/** An object by its name. */
export interface Address {
  readonly namespace: string;
  readonly name: string;
}

/** The kind that is waited for. */
export interface Awaited<T> {
  readonly type: ResourceType;
  readonly get: (connection: Connection, at: Address) => Promise<T>;
  readonly judge: (object: T) => Verdict;
  /** The error for one that is not there. */
  readonly missing: (at: Address) => CommandError;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told what each object waits for, whenever that changes. */
  readonly say: (line: string) => void;
}

/** The longest a timer can be set to. */
const longestMs = 2 ** 31 - 1;

/**
 * Waits until all objects are ready, by a watch on each.
 *
 * Guarantees: all are followed to their end, so that the error names every one that was given up; those decide over the ones that were
 * only late. An object that is missing is an error before the wait.
 */
export async function waitForAll<T extends KubeObject>(
  connection: Connection,
  kind: Awaited<T>,
  addresses: readonly Address[],
  { timeoutMs, signal, say }: WaitOptions,
): Promise<void> {
  for (const at of addresses) await kind.get(connection, at);
  const deadline = AbortSignal.timeout(Math.min(timeoutMs, longestMs));
  const follow = async (at: Address): Promise<CommandError | undefined> => {
    const name = `${at.namespace}/${at.name}`;
    let missing = 'no answer from the API server';
    try {
      const failure = await waitForOne(connection, kind, at, AbortSignal.any([signal, deadline]), (message) => {
        missing = message;
        say(`${name}: ${message}`);
      });
      if (failure === undefined) say(`${name}: ready`);
      return failure;
    } catch (error) {
      if (signal.aborted || !deadline.aborted) throw error;
      return new CommandError(`${name} is not ready after ${humanDuration(timeoutMs)}: ${missing}`, ExitCode.timeout);
    }
  };
  const failures = (await Promise.all(addresses.map(follow))).filter((failure) => failure !== undefined);
  if (failures.length === 0) return;
  const isGivenUp = failures.some(({ exitCode }) => exitCode === ExitCode.failed);
  throw new CommandError(failures.map(({ message }) => message).join('\n'), isGivenUp ? ExitCode.failed : ExitCode.timeout);
}

/** Undefined when it is ready, else why it never will be by itself. */
async function waitForOne<T extends KubeObject>(
  connection: Connection,
  { type, judge, missing: missingError }: Awaited<T>,
  at: Address,
  signal: AbortSignal,
  onWaiting: (message: string) => void,
): Promise<CommandError | undefined> {
  const missing = (object: T | undefined): string | undefined => {
    const verdict = object === undefined ? undefined : judge(object);
    return verdict?.kind === 'waiting' ? verdict.message : undefined;
  };
  const object = await waitForObject<T>(connection, type, at, missing, { timeoutMs: longestMs, signal, onWaiting });
  if (object === undefined) return missingError(at);
  const verdict = judge(object);
  return verdict.kind === 'gaveUp' ? new CommandError(`${at.namespace}/${at.name}: ${verdict.message}`) : undefined;
}
