import { nothing } from '../engine/decision.ts';
import { playerOf } from '../engine/player.ts';
import { simulatedLabel } from '../marks.ts';
import type { Claim, Pod, StorageClass, Volume, VolumeSnapshot } from '../objects.ts';
import { volumeNameOf } from './bind.ts';
import { decideClaim, decideGrowth, decidePod, decideVolume } from './decide.ts';

/** Plays the provisioner for claims that people make, and the resizer for all; a DataVolume's are bound with its import. */
export const claimPlayer = playerOf<Claim>({
  part: 'storage',
  kind: 'PersistentVolumeClaim',
  reads: ['PersistentVolume', 'StorageClass', 'VolumeSnapshot'],
  play: (claim, { read, scenario, time }) => {
    if (!claim.spec.storageClassName) return nothing;
    const storageClass = read.get<StorageClass>('StorageClass', undefined, claim.spec.storageClassName);
    if (storageClass === undefined || !scenario.provisioners.includes(storageClass.provisioner)) return nothing;
    const volume = read.get<Volume>('PersistentVolume', undefined, volumeNameOf(claim));
    const growth = decideGrowth({ claim, storageClass, ...(volume === undefined ? {} : { volume }) });
    if (growth !== nothing || claim.metadata.labels?.[simulatedLabel] !== undefined) return growth;
    const source = claim.spec.dataSourceRef ?? claim.spec.dataSource;
    const snapshot =
      source?.kind === 'VolumeSnapshot'
        ? (read.get<VolumeSnapshot>('VolumeSnapshot', claim.metadata.namespace, source.name) ?? 'missing')
        : undefined;
    return decideClaim(
      {
        claim,
        storageClass,
        durations: scenario.durations,
        ...(volume === undefined ? {} : { volume }),
        ...(snapshot === undefined ? {} : { snapshot }),
      },
      time,
    );
  },
});

/** Plays the provisioner's other half: volumes go when their claims are gone. */
export const volumePlayer = playerOf<Volume>({
  part: 'storage',
  kind: 'PersistentVolume',
  reads: ['PersistentVolumeClaim'],
  play: (volume, { read }) => {
    const owner = volume.spec.claimRef;
    if (volume.metadata.labels?.[simulatedLabel] === undefined || owner?.name === undefined) return nothing;
    const claim = read.get<Claim>('PersistentVolumeClaim', owner.namespace, owner.name);
    return decideVolume({ volume, ...(claim === undefined ? {} : { claim }) });
  },
});

/** Plays the kubelet for importer pods. */
export const podPlayer = playerOf<Pod>({
  part: 'cdi',
  kind: 'Pod',
  reads: ['PersistentVolumeClaim'],
  play: (pod, { read, scenario, time }) => {
    const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === 'PersistentVolumeClaim');
    const found = owner && read.get<Claim>('PersistentVolumeClaim', pod.metadata.namespace, owner.name);
    const claim = found?.metadata.uid === owner?.uid ? found : undefined;
    return decidePod({ pod, durations: scenario.durations, ...(claim === undefined ? {} : { claim }) }, time);
  },
});
