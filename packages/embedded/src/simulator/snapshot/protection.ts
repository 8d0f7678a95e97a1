import { type Effect, patchOf } from '../engine/decision.ts';
import type { Claim } from '../objects.ts';
import type { SnapshotView } from './view.ts';

/** Keeps a claim while a snapshot of it is being cut; a snapshot that never becomes ready therefore pins its claim. */
export const claimFinalizer = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';

export function protectClaim(claim: Claim): readonly Effect[] {
  const { finalizers = [], deletionTimestamp } = claim.metadata;
  if (finalizers.includes(claimFinalizer) || deletionTimestamp !== undefined) return [];
  return [patchOf('PersistentVolumeClaim', claim, { metadata: { finalizers: [...finalizers, claimFinalizer] } })];
}

/** Lets the claim go, unless another snapshot of it is still being cut. */
export function releaseClaim({ claim, isClaimShared }: SnapshotView): readonly Effect[] {
  if (claim === undefined || isClaimShared) return [];
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(claimFinalizer)) return [];
  const kept = finalizers.filter((name) => name !== claimFinalizer);
  return [patchOf('PersistentVolumeClaim', claim, { metadata: { finalizers: kept.length === 0 ? null : kept } })];
}
