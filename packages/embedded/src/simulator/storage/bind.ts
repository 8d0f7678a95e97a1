import { deleteOf, type Effect, patchOf, statusPatchOf } from '../engine/decision.ts';
import { simulatedLabels } from '../marks.ts';
import type { Claim, StorageClass, Volume } from '../objects.ts';

export const volumeNameOf = (claim: Claim): string => `pvc-${claim.metadata.uid}`;

/** Put there by whoever binds; the volume controller takes a claim with both for bound, and for lost when it does not know the volume. */
const bindAnnotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };

/**
 * What is left to do until a claim is Bound to a volume of its own; empty when it is.
 *
 * The simulator does the volume controller's part too, with the values it would write, so that it works with and without one. Only that a claim is
 * bound for good is left to that controller: one that hears of the claim before it hears of the volume would call the claim lost, and CDI give it up.
 */
export function bindSteps(claim: Claim, volume: Volume | undefined, storageClass: StorageClass): readonly Effect[] {
  const name = volumeNameOf(claim);
  const steps: Effect[] = [];
  if (volume === undefined) steps.push({ do: 'create', kind: 'PersistentVolume', object: desiredVolume(claim, storageClass) });
  if (volume?.status?.phase !== 'Bound')
    steps.push({
      do: 'patch',
      kind: 'PersistentVolume',
      target: { name },
      body: { status: { phase: 'Bound' } },
      subresource: 'status',
    });
  if (claim.spec.volumeName !== name) steps.push(patchOf('PersistentVolumeClaim', claim, { spec: { volumeName: name } }));
  if (claim.status?.phase !== 'Bound')
    steps.push(
      statusPatchOf('PersistentVolumeClaim', claim, {
        phase: 'Bound',
        accessModes: claim.spec.accessModes,
        capacity: { storage: claim.spec.resources?.requests?.storage },
      }),
    );
  return steps;
}

/** Binds a claim to a volume that does not exist, which the API calls Lost. */
export function loseSteps(claim: Claim): readonly Effect[] {
  if (claim.status?.phase === 'Lost') return [];
  return [
    patchOf('PersistentVolumeClaim', claim, {
      metadata: { annotations: bindAnnotations },
      spec: { volumeName: volumeNameOf(claim) },
    }),
    statusPatchOf('PersistentVolumeClaim', claim, { phase: 'Lost' }),
  ];
}

function desiredVolume(claim: Claim, storageClass: StorageClass) {
  const { name, namespace, uid } = claim.metadata;
  return {
    metadata: {
      name: volumeNameOf(claim),
      labels: simulatedLabels,
      annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner },
    },
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: claim.spec.resources?.requests?.storage },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
      csi: { driver: storageClass.provisioner, volumeHandle: uid },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    },
  };
}

/** Removes a volume whose claim is gone, as a provisioner does for reclaim policy Delete. */
export function reclaimSteps(volume: Volume): readonly Effect[] {
  const steps: Effect[] = [];
  // The protection is lifted by a controller only once the volume says it is not bound any more.
  if (volume.status?.phase !== 'Released') steps.push(statusPatchOf('PersistentVolume', volume, { phase: 'Released' }));
  if (volume.metadata.deletionTimestamp === undefined) steps.push(deleteOf('PersistentVolume', volume));
  if ((volume.metadata.finalizers?.length ?? 0) > 0)
    steps.push(patchOf('PersistentVolume', volume, { metadata: { finalizers: null } }));
  return steps;
}
