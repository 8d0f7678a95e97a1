import type { Workspace, WorkspaceStatus } from '@terrain/api';
import {
  type ApiTransport,
  after,
  done,
  type Happening,
  type KubeObject,
  Resource,
  type Result,
  type Writer,
} from '@terrain/runtime';
import { blockerOf as sharedBlockerOf } from '#controllers/shared/blocker.ts';
import { workspaceType } from '#controllers/shared/kind.ts';
import { eventOf } from './events.ts';
import type { ObserveSources } from './observe.ts';
import type { QuietTime } from './quiet-time.ts';
import { type Finding, type Snapshot, type StoredWorkspace, stuck } from './snapshot.ts';
import { type Report, statusOf } from './status.ts';
import type { Strangers } from './strangers.ts';

/** What every pass shares. */
export interface Deps extends ObserveSources {
  readonly api: ApiTransport;
  /** Resolves when the policy in force is known. */
  readonly ready: Promise<void>;
  readonly quiet: QuietTime;
  readonly strangers: Strangers;
  readonly record: (object: KubeObject, happening: Happening) => void;
  /** Notes that the workspace waits for something cluster-wide (a class, a kind), or that it does not. */
  readonly awaitPlatform: (key: string, isWaiting: boolean) => void;
}

/** One look at one workspace, with the means to act on it. */
export interface Pass {
  readonly deps: Deps;
  readonly key: string;
  readonly writer: Writer;
  readonly signal: AbortSignal;
}

/** A refusal names no object whose change would wake us. */
const refusedAgainMs = 30_000;

/**
 * Whether the API server has the workspace just as it was decided on, as far as that matters.
 *
 * A creation, and a deletion of what others may have changed hands with, has no precondition that names the workspace: so look first.
 * Whatever is newer wakes this key.
 */
export async function isCurrent({ deps, signal }: Pass, { metadata }: StoredWorkspace): Promise<boolean> {
  const { name, uid, generation, deletionTimestamp, annotations } = metadata;
  const live = (await new Resource<Workspace>(deps.api, workspaceType).find({ name }, { signal }))?.metadata;
  return (
    live?.uid === uid &&
    live.generation === generation &&
    live.deletionTimestamp === deletionTimestamp &&
    JSON.stringify(live.annotations) === JSON.stringify(annotations)
  );
}

/** Stores the status if it differs, tells people, and says when to come back. */
export async function save({ deps, key, writer }: Pass, snapshot: Snapshot, report: Report): Promise<Result> {
  const { workspace, nowMs } = snapshot;
  const status = statusOf(snapshot, report);
  deps.awaitPlatform(key, isPlatformAwaited(status));
  const heldMs = deps.quiet.heldMs(key, workspace.status, status, nowMs);
  if (heldMs > 0) return after(report.blockers.size === 0 ? heldMs : Math.min(heldMs, refusedAgainMs));
  const stored = await writer.status<Workspace>(workspaceType, workspace, status);
  if (stored.metadata.resourceVersion !== workspace.metadata.resourceVersion) {
    const happening = eventOf(workspace.status, stored.status as WorkspaceStatus);
    if (happening !== undefined) deps.record(stored, happening);
  }
  return report.blockers.size === 0 ? done : after(refusedAgainMs);
}

const isPlatformAwaited = ({ conditions = [] }: WorkspaceStatus): boolean =>
  conditions.some(
    ({ reason }) => reason === 'NetworkBackendUnavailable' || reason === 'PlatformMissing' || reason === 'VolumesPending',
  );

/** Why an object could not be made; errors that are no refusal are thrown on. `words` false keeps the server's words out of the status. */
export const blockerOf = (error: unknown, what: string, { words = true } = {}): Finding =>
  sharedBlockerOf(error, what, {
    taken: stuck('RefusedByPlatform', `${what} exists already and is not of this workspace; delete it, or rename the entry`),
    terminating: 'NamespaceTerminating',
    words,
  });
