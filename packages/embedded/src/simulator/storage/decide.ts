import { selectedNodeAnnotation } from '../cdi/annotations.ts';
import { type Decision, deleteOf, type Effect, earliest, nothing, patchOf, statusPatchOf } from '../engine/decision.ts';
import { notes, podFinalizer } from '../marks.ts';
import type { Claim, Pod, StorageClass, Volume, VolumeSnapshot } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import type { Durations } from '../scenario/scenario.ts';
import { instantOf, type Time } from '../time.ts';
import { bindSteps, reclaimSteps } from './bind.ts';

export interface ClaimView {
  readonly claim: Claim;
  readonly volume?: Volume;
  /** The claim's class, if it exists and is the simulator's to serve. */
  readonly storageClass?: StorageClass;
  /** The snapshot it restores from, where it names one. */
  readonly snapshot?: VolumeSnapshot | 'missing';
  readonly durations: Durations;
}

/** Provisions a plain claim: one that no DataVolume fills. */
export function decideClaim({ claim, volume, storageClass, snapshot, durations }: ClaimView, time: Time): Decision {
  if (storageClass === undefined || claim.metadata.deletionTimestamp !== undefined || isBound(claim)) return nothing;
  const waitsForConsumer =
    storageClass.volumeBindingMode === 'WaitForFirstConsumer' &&
    claim.metadata.annotations?.[selectedNodeAnnotation] === undefined;
  if (waitsForConsumer) return nothing;
  if (snapshot !== undefined) {
    if (snapshot === 'missing' || snapshot.status?.readyToUse !== true) return nothing;
    const problem = restoreProblem(claim, snapshot);
    if (problem !== undefined) return { effects: warnOnce(claim, problem) };
  }
  const createdAtMs = Date.parse(claim.metadata.creationTimestamp ?? '') || time.nowMs;
  const readyAtMs = instantOf(time, createdAtMs, durations.provision) ?? time.nowMs;
  if (time.nowMs < readyAtMs) return { effects: [], ...earliest(readyAtMs) };
  return { effects: bindSteps(claim, volume, storageClass) };
}

/** Makes a bound volume larger where its claim asks for more than it has, as a resizer does; without expansion the API server refuses to ask. */
export function decideGrowth({ claim, volume, storageClass }: Omit<ClaimView, 'durations' | 'snapshot'>): Decision {
  const asked = claim.spec.resources?.requests?.storage;
  const held = bytesOf(claim.status?.capacity?.storage);
  if (claim.status?.phase !== 'Bound' || held === undefined || (bytesOf(asked) ?? 0) <= held) return nothing;
  if (storageClass?.allowVolumeExpansion !== true || claim.metadata.deletionTimestamp !== undefined) return nothing;
  const capacity = { storage: asked };
  return {
    effects: [
      ...(volume === undefined ? [] : [patchOf('PersistentVolume', volume, { spec: { capacity } })]),
      statusPatchOf('PersistentVolumeClaim', claim, { capacity }),
    ],
  };
}

function isBound(claim: Claim): boolean {
  return claim.status?.phase === 'Bound' || claim.status?.phase === 'Lost';
}

function restoreProblem(claim: Claim, snapshot: VolumeSnapshot): string | undefined {
  const wanted = bytesOf(claim.spec.resources?.requests?.storage) ?? 0;
  const held = bytesOf(snapshot.status?.restoreSize) ?? 0;
  if (wanted >= held) return undefined;
  return `failed to provision volume with StorageClass "${claim.spec.storageClassName}": error getting handle for DataSource Type VolumeSnapshot by Name ${snapshot.metadata.name}: requested volume size ${wanted} is less than the size ${held} for the source snapshot ${snapshot.metadata.name}`;
}

/** The note on the claim keeps the event from being repeated. */
function warnOnce(claim: Claim, message: string): readonly Effect[] {
  if (claim.metadata.annotations?.[notes.doneAt] !== undefined) return [];
  return [
    patchOf('PersistentVolumeClaim', claim, { metadata: { annotations: { [notes.doneAt]: 'refused' } } }),
    { do: 'event', about: claim, type: 'Warning', reason: 'ProvisioningFailed', message },
  ];
}

/** Deletes a volume of ours once its claim is gone. `claim` is what has the claim's name now. */
export function decideVolume({ volume, claim }: { readonly volume: Volume; readonly claim?: Claim }): Decision {
  const owner = volume.spec.claimRef;
  if (owner?.uid === undefined || claim?.metadata.uid === owner.uid) return nothing;
  if (volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return nothing;
  return { effects: reclaimSteps(volume) };
}

export interface PodView {
  readonly pod: Pod;
  /** The claim the pod fills, if it is still there. */
  readonly claim?: Claim;
  readonly durations: Durations;
}

/**
 * Ends an importer pod: asked to by its deletion, or because its claim goes. A pod whose container still ran takes a while, as under a
 * kubelet, so it outlives the DataVolume it worked for.
 */
export function decidePod({ pod, claim, durations }: PodView, time: Time): Decision {
  const { deletionTimestamp, finalizers } = pod.metadata;
  if (deletionTimestamp === undefined) {
    const isOrphan = claim === undefined || claim.metadata.deletionTimestamp !== undefined;
    return isOrphan ? { effects: [deleteOf('Pod', pod)] } : nothing;
  }
  if (finalizers?.includes(podFinalizer) !== true) return nothing;
  const isRunning = pod.status?.containerStatuses?.some((container) => container.state?.running !== undefined) === true;
  const endsAtMs = isRunning ? (instantOf(time, Date.parse(deletionTimestamp), durations.podStop) ?? time.nowMs) : time.nowMs;
  if (time.nowMs < endsAtMs) return { effects: [], ...earliest(endsAtMs) };
  const kept = finalizers.filter((name) => name !== podFinalizer);
  return { effects: [patchOf('Pod', pod, { metadata: { finalizers: kept.length === 0 ? null : kept } })] };
}
