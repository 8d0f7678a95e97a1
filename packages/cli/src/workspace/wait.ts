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
  const found: Workspace[] = [];
  for (const name of names) found.push(await getWorkspace(connection, name));
  const deadline = AbortSignal.timeout(Math.min(options.timeoutMs, longestMs));
  const follow = (workspace: Workspace): Promise<CommandError | undefined> => followOne(connection, workspace, options, deadline);
  throwAll((await Promise.all(found.map(follow))).filter((failure) => failure !== undefined));
}

/** `found` is how it was when the wait began: what it says counts even if nothing more is heard in time. */
async function followOne(
  connection: Connection,
  found: Workspace,
  { timeoutMs, signal, say }: WaitOptions,
  deadline: AbortSignal,
): Promise<CommandError | undefined> {
  const { name } = found.metadata;
  let missing: string | undefined;
  const isMissing = (workspace: Workspace | undefined): string | undefined => {
    const verdict = workspace === undefined ? undefined : judge(workspace);
    if (verdict?.kind !== 'waiting') return undefined;
    if (verdict.message !== missing) say(`${name}: ${verdict.message}`);
    missing = verdict.message;
    return verdict.message;
  };
  try {
    const options = { timeoutMs: longestMs, signal: AbortSignal.any([signal, deadline]) };
    const workspace =
      isMissing(found) === undefined
        ? found
        : await waitForObject<Workspace>(connection, workspaceType, { name }, isMissing, options);
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
