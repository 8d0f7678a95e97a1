import { playerOf, type Scene } from '../engine/player.ts';
import { notes } from '../marks.ts';
import type { Claim, DataVolume, Volume, VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../objects.ts';
import { parseSwitches } from '../scenario/switches.ts';
import { switchesOf } from '../scenario/switches-of.ts';
import { decideSnapshot } from './decide.ts';
import { claimFinalizer } from './protection.ts';
import type { SnapshotView } from './view.ts';

/** Plays the snapshot controller and the driver's snapshotter. */
export const snapshotPlayer = playerOf<VolumeSnapshot>({
  part: 'snapshots',
  kind: 'VolumeSnapshot',
  reads: ['VolumeSnapshotContent', 'VolumeSnapshotClass', 'PersistentVolumeClaim', 'PersistentVolume', 'DataVolume'],
  play: (snapshot, scene) => decideSnapshot(observe(snapshot, scene), scene.time),
});

function observe(snapshot: VolumeSnapshot, { read, scenario }: Scene): SnapshotView {
  const { namespace, name, uid } = snapshot.metadata;
  const { persistentVolumeClaimName, volumeSnapshotContentName } = snapshot.spec.source;
  const claim = found(persistentVolumeClaimName, (claimName) => read.get<Claim>('PersistentVolumeClaim', namespace, claimName));
  const volume = found(claim?.spec.volumeName, (volumeName) => read.get<Volume>('PersistentVolume', undefined, volumeName));
  const contentName = snapshot.status?.boundVolumeSnapshotContentName ?? volumeSnapshotContentName ?? `snapcontent-${uid}`;
  const content = read.get<VolumeSnapshotContent>('VolumeSnapshotContent', undefined, contentName);
  // The claim carries the switches of the image it was filled from; the snapshot's own come last.
  const inherited = parseSwitches(claim?.metadata.annotations?.[notes.switches] ?? '').switches;
  const { switches } = switchesOf(scenario, snapshot);
  return {
    snapshot,
    ...(content === undefined ? {} : { content }),
    ...(claim === undefined ? {} : { claim }),
    ...(volume === undefined ? {} : { volume }),
    classes: read.all<VolumeSnapshotClass>('VolumeSnapshotClass'),
    drivers: scenario.provisioners,
    isInUse: snapshot.metadata.deletionTimestamp !== undefined && isRestored(`${namespace}/${name}`, read),
    isClaimShared: claim !== undefined && isCutElsewhere(snapshot, claim, read),
    switches: new Map([...inherited, ...switches]),
    durations: scenario.durations,
  };
}

/** Whether a clone that has begun, or a claim, still needs the snapshot. */
function isRestored(source: string, read: Scene['read']): boolean {
  const clones = read.by<DataVolume>('DataVolume', 'snapshot', source);
  const claims = read.by<Claim>('PersistentVolumeClaim', 'snapshot', source);
  return (
    clones.some(({ status }) => status?.claimName !== undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed') ||
    claims.some(({ status }) => status?.phase === 'Pending')
  );
}

function isCutElsewhere(snapshot: VolumeSnapshot, claim: Claim, read: Scene['read']): boolean {
  if (claim.metadata.finalizers?.includes(claimFinalizer) !== true) return false;
  return read
    .by<VolumeSnapshot>('VolumeSnapshot', 'claim', `${claim.metadata.namespace}/${claim.metadata.name}`)
    .some(
      ({ metadata, status }) =>
        metadata.uid !== snapshot.metadata.uid && metadata.deletionTimestamp === undefined && status?.readyToUse !== true,
    );
}

function found<T>(name: string | undefined, find: (name: string) => T | undefined): T | undefined {
  return name === undefined || name === '' ? undefined : find(name);
}
