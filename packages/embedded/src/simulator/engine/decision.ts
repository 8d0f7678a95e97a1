import { apiVersionOf, type KindName } from '../kinds.ts';
import type { Stored } from '../objects.ts';

/** A new object, its kind named once. */
export interface Manifest {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name?: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** One thing to do in the cluster. Everything the simulator does to the world is one of these. */
export type Effect =
  | { readonly do: 'create'; readonly kind: KindName; readonly object: Manifest }
  | {
      readonly do: 'patch';
      readonly kind: KindName;
      readonly target: Target;
      /** A JSON merge patch. */
      readonly body: Readonly<Record<string, unknown>>;
      readonly subresource?: 'status';
    }
  | { readonly do: 'delete'; readonly kind: KindName; readonly target: Target; readonly gracePeriodSeconds?: number }
  | {
      readonly do: 'event';
      readonly about: Stored;
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly message: string;
    }
  | { readonly do: 'download'; readonly download: Download };

export interface Target {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Keeps a write from reaching another object that has the name by now. Absent for what the same decision makes. */
  readonly uid?: string;
}

/** How far the downloads of one DataVolume have come, all its attempts within CDI taken together. */
export interface Download {
  readonly url: string;
  readonly dataVolumeUid: string;
  readonly dataVolume: string;
  readonly started: number;
  readonly bytes: number;
}

/**
 * What a state machine wants done now, and when it wants to be asked again if nothing changes before.
 * Effects are carried out in order; when one fails the rest is left, and the machine is asked again.
 */
export interface Decision {
  readonly effects: readonly Effect[];
  /** Absent: only a change in what it looked at matters. */
  readonly wakeAtMs?: number;
}

/** The last creation the API server refused for an object, so that a state machine can tell of it as the platform would. */
export interface Refusal {
  readonly kind: KindName;
  readonly code: number;
  readonly message: string;
  /** How many times in a row. */
  readonly count: number;
  readonly atMs: number;
}

export const nothing: Decision = { effects: [] };

function targetOf(object: Stored): Target {
  return { name: object.metadata.name, namespace: object.metadata.namespace, uid: object.metadata.uid };
}

export function patchOf(kind: KindName, object: Stored, body: Readonly<Record<string, unknown>>): Effect {
  return { do: 'patch', kind, target: targetOf(object), body };
}

/** Changes nothing, and fails if the object has another version by now: what follows is done only if the object is still as it was seen. */
export function asSeen(kind: KindName, object: Stored): Effect {
  return patchOf(kind, object, { metadata: { resourceVersion: object.metadata.resourceVersion } });
}

export function statusPatchOf(kind: KindName, object: Stored, status: Readonly<Record<string, unknown>>): Effect {
  return { do: 'patch', kind, target: targetOf(object), body: { status }, subresource: 'status' };
}

export function deleteOf(kind: KindName, object: Stored): Effect {
  return { do: 'delete', kind, target: targetOf(object) };
}

/** An owner reference as `metav1.NewControllerRef` makes it. */
export function controllerReference(kind: KindName, owner: Stored): Readonly<Record<string, unknown>> {
  const { name, uid } = owner.metadata;
  return { apiVersion: apiVersionOf(kind), kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Whether this very object, not one of the same name, is the controller of the other. */
export function isControlledBy(object: Stored, owner: Stored): boolean {
  return object.metadata.ownerReferences?.some((ref) => ref.controller === true && ref.uid === owner.metadata.uid) === true;
}

/** The earliest of some instants, any of which may be absent. */
export function earliest(...instants: readonly (number | undefined)[]): { wakeAtMs?: number } {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? {} : { wakeAtMs: Math.min(...known) };
}
