import type { VirtualMachine, VirtualMachineReason, VirtualMachineStatus } from '@terrain/api';
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
import { blockerOf as refusedBlocker } from '#controllers/shared/blocker.ts';
import { machineType } from '#controllers/shared/kind.ts';
import { eventOf } from './events.ts';
import type { ObserveSources } from './observe.ts';
import type { Obstacles } from './obstacles.ts';
import type { Passwords } from './passwords.ts';
import type { QuietTime } from './quiet-time.ts';
import { type Finding, type Snapshot, type StoredMachine, stuck } from './snapshot.ts';
import { type Report, statusOf } from './status.ts';

/** What every pass shares. */
export interface Deps extends ObserveSources {
  readonly api: ApiTransport;
  readonly passwords: Passwords;
  readonly obstacles: Obstacles;
  readonly quiet: QuietTime;
  readonly record: (object: KubeObject, happening: Happening) => void;
  /** Notes that the machine waits for something cluster-wide (a class, a kind), or that it does not. */
  readonly awaitPlatform: (key: string, isWaiting: boolean) => void;
}

/** One look at one machine, with the means to act on it. */
export interface Pass {
  readonly deps: Deps;
  readonly key: string;
  readonly writer: Writer;
  readonly signal: AbortSignal;
}

/** A refusal by a policy or a webhook names no object whose change would wake us. */
export const refusedAgainMs = 60_000;

/**
 * Whether the API server has the machine just as it was decided on.
 *
 * A creation, and a deletion of what others may have changed hands with, has no precondition that names the machine: so look first.
 * Whatever is newer wakes this key.
 */
export async function isCurrent({ deps, signal }: Pass, { metadata }: StoredMachine): Promise<boolean> {
  const { name, namespace, uid, resourceVersion } = metadata;
  const live = await new Resource<VirtualMachine>(deps.api, machineType).find({ name, namespace }, { signal });
  return live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
}

/** Stores the status if it differs, tells people, and says when to come back. */
export async function save({ deps, key, writer }: Pass, snapshot: Snapshot, report: Report): Promise<Result> {
  const { machine, nowMs } = snapshot;
  const { status, atMs } = statusOf(snapshot, report);
  deps.awaitPlatform(key, isPlatformMissing(report));
  deps.obstacles.set(key, report.obstacle);
  const again = [report.blocker === undefined ? undefined : nowMs + refusedAgainMs, report.atMs, atMs];
  const heldMs = deps.quiet.heldMs(key, machine.status, status, nowMs);
  if (heldMs > 0) return comeBack(nowMs, [...again, nowMs + heldMs]);
  const stored = await writer.status<VirtualMachine>(machineType, machine, status);
  if (stored.metadata.resourceVersion !== machine.metadata.resourceVersion) {
    const happening = eventOf(machine.status, stored.status as VirtualMachineStatus);
    if (happening !== undefined) deps.record(stored, happening);
  }
  return comeBack(nowMs, again);
}

function isPlatformMissing({ image, disk, networks, blocker }: Report): boolean {
  const reasons = [image, disk, networks.finding, blocker].map((finding) => finding?.reason);
  return reasons.includes('PlatformMissing') || reasons.includes('StorageClassMissing');
}

function comeBack(nowMs: number, times: readonly (number | undefined)[]): Result {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? done : after(Math.max(0, Math.min(...known) - nowMs));
}

/** Why an object could not be made; errors that are no refusal are thrown on. `words` false keeps the server's words out of the status. */
export const blockerOf = (error: unknown, what: string, { words = true } = {}): Finding =>
  refusedBlocker<VirtualMachineReason>(error, what, {
    taken: stuck('NameTaken', `${what} exists already and is not of this machine; rename this machine, or delete the other one`),
    terminating: 'Deleting',
    words,
  });
