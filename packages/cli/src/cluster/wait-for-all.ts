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
  /**
   * For a kind whose status tells of others and may lag behind them: whether it is right that an object was given up. If not, the
   * answer comes when there is reason to look again. Left out: it is.
   */
  readonly holds?: (connection: Connection, givenUp: T, waiting: Waiting) => Promise<boolean>;
  /** The error for one that is not there. */
  readonly missing: (at: Address) => CommandError;
}

/** How one object is waited for. */
export interface Waiting {
  readonly signal: AbortSignal;
  readonly onWaiting: (message: string) => void;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told what each object waits for, whenever that changes. */
  readonly say: (line: string) => void;
}

/** The longest a timer can be set to. */
export const longestMs = 2 ** 31 - 1;

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
      const onWaiting = (message: string): void => {
        missing = message;
        say(`${name}: ${message}`);
      };
      const failure = await waitForOne(connection, kind, at, { signal: AbortSignal.any([signal, deadline]), onWaiting });
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
  { type, judge, holds, missing: missingError }: Awaited<T>,
  at: Address,
  waiting: Waiting,
): Promise<CommandError | undefined> {
  const missing = (object: T | undefined): string | undefined => {
    const verdict = object === undefined ? undefined : judge(object);
    return verdict?.kind === 'waiting' ? verdict.message : undefined;
  };
  for (;;) {
    const object = await waitForObject<T>(connection, type, at, missing, { timeoutMs: longestMs, ...waiting });
    if (object === undefined) return missingError(at);
    const verdict = judge(object);
    if (verdict.kind !== 'gaveUp') return undefined;
    if (holds === undefined || (await holds(connection, object, waiting)))
      return new CommandError(`${at.namespace}/${at.name}: ${verdict.message}`);
  }
}
