import type { Refusal } from '../engine/decision.ts';
import type { Claim, DataVolume, Pod, StorageClass, Volume, VolumeSnapshot } from '../objects.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Switches } from '../scenario/switches.ts';
import type { Missing } from './fault.ts';

/** All that decides what happens next to a DataVolume. */
export interface DataVolumeView {
  readonly dataVolume: DataVolume;
  /** What has the claim's name, whoever owns it. */
  readonly claim?: Claim;
  /** The temporary claim the importer fills on populator storage. */
  readonly prime?: Claim;
  readonly scratch?: Claim;
  readonly pod?: Pod;
  /** The claim's volume. */
  readonly volume?: Volume;
  /** The class named, or the default one; absent when there is none. */
  readonly storageClass?: StorageClass;
  /** Whether the simulator provisions for that class. */
  readonly isServed: boolean;
  /** Whether a CSIDriver exists for that class: CDI uses populators only then. */
  readonly hasDriver: boolean;
  /** The snapshot to clone. */
  readonly snapshot?: VolumeSnapshot;
  /** A Secret or ConfigMap the importer needs and that does not exist. */
  readonly missing?: Missing;
  /** Which attempt at this image it is, counted from 1. */
  readonly attempt: number;
  readonly refusal?: Refusal;
  readonly switches: Switches;
  /** Switches that could not be read. */
  readonly problems: readonly string[];
  readonly scenario: Scenario;
}
