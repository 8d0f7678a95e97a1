import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';

/** Where Leases live. */
export const leases: ResourceType = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespaced: true };

/** A Lease of coordination.k8s.io/v1. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** What was last seen of a lease, and when on our own clock: times written by other machines are never compared with ours. */
export interface Sighting {
  readonly lease: Lease;
  readonly seenAt: number;
}

/** Keeps the moment a lease was first seen in this state. */
export function sight(previous: Sighting | undefined, lease: Lease, now: number): Sighting {
  const isSame = previous !== undefined && previous.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return isSame ? previous : { lease, seenAt: now };
}

/** Whether somebody else may take it: it was given back, or not renewed for as long as its holder promised to. */
export function isFree({ lease, seenAt }: Sighting, now: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity === '' || now - seenAt > leaseDurationSeconds * 1000;
}
