/** Whether a root disk that exists is as large as it should be. Pure. */

import { parseQuantityBytes } from '@terrain/api';
import { controllerUid } from '@terrain/runtime';
import { isGoing } from '#controllers/shared/removal.ts';
import type { DataVolume } from '#platform/cdi.ts';

import { type Finding, type Snapshot, yes } from './snapshot.ts';

/** What a file system on the volume takes for itself; CDI adds as much by default. */
const overheadPerCent = 6n;

export type Growth = {
  /** True all the same: the machine can be used as it is. */
  readonly finding: Finding;
  /** What its claim is to ask for; absent when nothing is to be asked. */
  readonly request?: string;
};

/** Undefined when the disk is large enough, or nothing is known of its size. A disk is never made smaller. */
export function growthOf({ machine, claim, platform }: Snapshot, { metadata }: DataVolume): Growth | undefined {
  const { diskSize } = machine.spec.resources;
  if (diskSize === undefined || claim === undefined || isGoing(claim) || controllerUid(claim) !== metadata.uid) return undefined;
  const { storageClassName = '', volumeMode, resources } = claim.spec ?? {};
  const wanted = parseQuantityBytes(diskSize);
  const held = parseQuantityBytes(claim.status?.capacity?.storage ?? '');
  if (wanted === undefined || held === undefined || held >= wanted) return undefined;
  const has = `root disk ${metadata.name} has ${claim.status?.capacity?.storage}, and resources.diskSize asks for ${diskSize}`;
  const asked = parseQuantityBytes(resources?.requests?.storage ?? '') ?? 0n;
  if (asked >= wanted)
    return {
      finding: yes(
        'ExpansionPending',
        `${has}: its volume is being made larger; if it lasts, the events of PersistentVolumeClaim ${metadata.name} say why`,
      ),
    };
  if (!platform.canExpand(storageClassName))
    return {
      finding: yes(
        'ExpansionPending',
        `${has}, but its StorageClass ${storageClassName} cannot expand volumes; set allowVolumeExpansion there, or lower resources.diskSize`,
      ),
    };
  const request = volumeMode === 'Block' ? wanted : (wanted * (100n + overheadPerCent) + 99n) / 100n;
  return { finding: yes('ExpansionPending', `${has}: its volume is being made larger`), request: String(request) };
}
