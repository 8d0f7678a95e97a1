import type { DataVolume, InstanceSpec } from '../objects.ts';
import type { Disks } from './view.ts';

/** Names of the claims a machine's disks are on; a DataVolume's claim has its name. */
export function claimNamesOf(spec: InstanceSpec): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume) => volume.dataVolume?.name ?? volume.persistentVolumeClaim?.claimName ?? []);
}

export function dataVolumeNamesOf(spec: InstanceSpec): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume) => volume.dataVolume?.name ?? []);
}

/** How far the disks of an instance are. */
export type DiskState =
  | { readonly state: 'ready' | 'failed' | 'filling' }
  | { readonly state: 'missing'; readonly claim: string };

export function diskState(spec: InstanceSpec, { dataVolumes, claims }: Disks): DiskState {
  let isReady = true;
  for (const name of claimNamesOf(spec)) {
    const dataVolume = dataVolumes.get(name);
    if (!claims.has(name)) return { state: 'missing', claim: name };
    if (dataVolume?.status?.phase === 'Failed') return { state: 'failed' };
    if (dataVolume !== undefined && !isUsable(dataVolume)) isReady = false;
  }
  return { state: isReady ? 'ready' : 'filling' };
}

/** A disk that waits for its first consumer counts: the machine is that consumer. */
export function isUsable(dataVolume: DataVolume): boolean {
  return ['Succeeded', 'PendingPopulation', 'WaitForFirstConsumer'].includes(dataVolume.status?.phase ?? '');
}

/** pkg/storage/types/dv.go, HasDataVolumeErrors: it flips with every restart of the importer. */
export function hasDiskErrors(spec: InstanceSpec, { dataVolumes }: Disks): boolean {
  return dataVolumeNamesOf(spec).some((name) => {
    const status = dataVolumes.get(name)?.status;
    const running = status?.conditions?.find((condition) => condition.type === 'Running');
    const hasError = running?.status === 'False' && (running.reason === 'Error' || running.reason === 'ImagePullFailed');
    return status?.phase === 'Failed' || hasError;
  });
}

/** HasDataVolumeProvisioning: a DataVolume that is not there at all does not count. */
export function isProvisioning(spec: InstanceSpec, { dataVolumes }: Disks): boolean {
  return dataVolumeNamesOf(spec).some((name) => {
    const dataVolume = dataVolumes.get(name);
    return dataVolume !== undefined && !isUsable(dataVolume);
  });
}

export function hasUnboundClaim(spec: InstanceSpec, { claims }: Disks): boolean {
  return claimNamesOf(spec).some((name) => {
    const claim = claims.get(name);
    return claim !== undefined && claim.status?.phase !== 'Bound';
  });
}
