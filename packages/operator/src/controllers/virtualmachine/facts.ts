/** Plain facts about a machine, on which several decisions rest. */
import { annotations, rootDiskName } from '@terrain/api';
import type { Snapshot, StoredMachine } from './snapshot.ts';

/** A namespace on its way out is not held up by a pause. */
export const isPaused = ({ machine, isNamespaceTerminating }: Snapshot): boolean =>
  machine.metadata.annotations?.[annotations.paused] === 'true' && !isNamespaceTerminating;

/** Whether the machine should run. */
export const isWantedRunning = ({ spec }: StoredMachine): boolean =>
  (spec.powerState ?? (spec.ignoreOnDeploy === true ? 'Stopped' : 'Running')) === 'Running';

/** The root disk it should have: another one for each reset token. */
export function wantedDiskName({ metadata, spec }: StoredMachine): string {
  const { resetToken } = spec;
  return rootDiskName({ name: metadata.name, uid: metadata.uid, ...(resetToken === undefined ? {} : { resetToken }) });
}

/** `namespace/name` of the image, for people. */
export function imageText({ metadata, spec }: StoredMachine): string {
  const { name, namespace = '' } = spec.vmDiskImageRef;
  return `VMDiskImage ${namespace === '' ? metadata.namespace : namespace}/${name}`;
}

export function imageNamespaceOf({ metadata, spec }: StoredMachine): string {
  const { namespace = '' } = spec.vmDiskImageRef;
  return namespace === '' ? metadata.namespace : namespace;
}
