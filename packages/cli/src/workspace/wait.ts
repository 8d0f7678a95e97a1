import type { Workspace } from '@terrain/api';
import { type Connection, waitForObject } from '@terrain/runtime';
import { humanDuration } from '../output/duration.ts';
import { CommandError, ExitCode } from '../output/exit.ts';
import { getWorkspace, noWorkspace, workspaceType } from './live.ts';
import { judge } from './state.ts';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told what each workspace waits for, whenever that changes. */
  readonly say: (line: string) => void;
}

/** The longest a timer can be set to. */
export const longestMs: number = 2 ** 31 - 1;

/**
 * Waits until all workspaces are ready, by a watch on each.
 *
 * Guarantees: all are followed to their end, so that the error names every one that needs a person; those decide over the ones that
 * were only late. A workspace that is missing is an error before the wait.
 */
export async function waitForWorkspaces(connection: Connection, names: readonly string[], options: WaitOptions): Promise<void> {
  for (const name of names) await getWorkspace(connection, name);
  const deadline = AbortSignal.timeout(Math.min(options.timeoutMs, longestMs));
  const follow = (name: string): Promise<CommandError | undefined> => followOne(connection, name, options, deadline);
  throwAll((await Promise.all(names.map(follow))).filter((failure) => failure !== undefined));
}

async function followOne(
  connection: Connection,
  name: string,
  { timeoutMs, signal, say }: WaitOptions,
  deadline: AbortSignal,
): Promise<CommandError | undefined> {
  let missing = 'no answer from the API server';
  const onWaiting = (message: string): void => {
    missing = message;
    say(`${name}: ${message}`);
  };
  const isMissing = (workspace: Workspace | undefined): string | undefined => {
    const verdict = workspace === undefined ? undefined : judge(workspace);
    return verdict?.kind === 'waiting' ? verdict.message : undefined;
  };
  try {
    const options = { timeoutMs: longestMs, signal: AbortSignal.any([signal, deadline]), onWaiting };
    const workspace = await waitForObject<Workspace>(connection, workspaceType, { name }, isMissing, options);
    if (workspace === undefined) return noWorkspace(name);
    const verdict = judge(workspace);
    if (verdict.kind === 'failed') return new CommandError(`${name}: ${verdict.message}`);
    say(`${name}: ready`);
    return undefined;
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    return new CommandError(`${name} is not ready after ${humanDuration(timeoutMs)}: ${missing}`, ExitCode.timeout);
  }
}

/** One error for all failures; those that need a person decide over those that were late. */
export function throwAll(failures: readonly CommandError[]): void {
  if (failures.length === 0) return;
  const isFailed = failures.some(({ exitCode }) => exitCode === ExitCode.failed);
  throw new CommandError(failures.map(({ message }) => message).join('\n'), isFailed ? ExitCode.failed : ExitCode.timeout);
}
