import type { Claim, Volume, VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '../objects.ts';
import type { Durations } from '../scenario/scenario.ts';
import type { Switches } from '../scenario/switches.ts';

/** All that decides what happens next to a VolumeSnapshot. */
export interface SnapshotView {
  readonly snapshot: VolumeSnapshot;
  /** The content made for it, or the one it names. */
  readonly content?: VolumeSnapshotContent;
  /** The claim it is cut from. */
  readonly claim?: Claim;
  /** That claim's volume. */
  readonly volume?: Volume;
  readonly classes: readonly VolumeSnapshotClass[];
  /** Drivers whose snapshots are the simulator's to cut. */
  readonly drivers: readonly string[];
  /** Whether a clone or a claim is being made from it just now. */
  readonly isInUse: boolean;
  /** Whether another snapshot of the same claim is still being cut. */
  readonly isClaimShared: boolean;
  readonly switches: Switches;
  readonly durations: Durations;
}
