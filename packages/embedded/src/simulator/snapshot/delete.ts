import { type Decision, deleteOf, type Effect, patchOf } from '../engine/decision.ts';
import type { VolumeSnapshotClass } from '../objects.ts';
import { releaseClaim } from './protection.ts';
import type { SnapshotView } from './view.ts';

const boundFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
const sourceFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection';

/** The finalizers a snapshot gets before it is cut, and its class where it named none, in one write. */
export function withFinalizers({ snapshot }: SnapshotView, chosen: VolumeSnapshotClass): readonly Effect[] {
  const { finalizers = [] } = snapshot.metadata;
  const missing = [sourceFinalizer, boundFinalizer].filter((name) => !finalizers.includes(name));
  const isNamed = snapshot.spec.volumeSnapshotClassName !== undefined;
  if (missing.length === 0 && isNamed) return [];
  return [
    patchOf('VolumeSnapshot', snapshot, {
      metadata: { finalizers: [...finalizers, ...missing] },
      ...(isNamed ? {} : { spec: { volumeSnapshotClassName: chosen.metadata.name } }),
    }),
  ];
}

/** Content first, then the finalizers: the snapshot's object outlives the data it stands for. */
export function decideDeletion(view: SnapshotView): Decision {
  const { snapshot, content, isInUse } = view;
  const isOurs = content !== undefined && content.spec.volumeSnapshotRef.uid === snapshot.metadata.uid;
  if (isOurs && isInUse) return { effects: [] };
  const effects: Effect[] = [...releaseClaim(view)];
  if (isOurs && content.spec.deletionPolicy === 'Delete') {
    if (content.metadata.deletionTimestamp === undefined) effects.push(deleteOf('VolumeSnapshotContent', content));
    effects.push(patchOf('VolumeSnapshotContent', content, { metadata: { finalizers: null } }));
  }
  const { finalizers = [] } = snapshot.metadata;
  const kept = finalizers.filter((name) => name !== boundFinalizer && name !== sourceFinalizer);
  if (kept.length < finalizers.length)
    effects.push(patchOf('VolumeSnapshot', snapshot, { metadata: { finalizers: kept.length === 0 ? null : kept } }));
  return { effects };
}
