import type { Refusal } from '../engine/decision.ts';
import type { Claim, DataVolume, Instance, Machine } from '../objects.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Switches } from '../scenario/switches.ts';

/** What is known of the disks a machine names, by name. A name that is not in the map does not exist. */
export interface Disks {
  readonly dataVolumes: ReadonlyMap<string, DataVolume>;
  readonly claims: ReadonlyMap<string, Claim>;
}

/** All that decides what happens next to a VirtualMachine. */
export interface MachineView extends Disks {
  readonly machine: Machine;
  readonly instance?: Instance;
  readonly refusal?: Refusal;
  readonly scenario: Scenario;
}

/** All that decides what happens next to a VirtualMachineInstance. */
export interface InstanceView extends Disks {
  readonly instance: Instance;
  /** The VirtualMachine that controls it, if it is still there. */
  readonly machine?: Machine;
  /** Networks and Secrets its pod needs and that do not exist. */
  readonly missing: readonly string[];
  /** The guest's network configuration, if a Secret or the spec holds one. */
  readonly networkData?: string;
  readonly switches: Switches;
  readonly scenario: Scenario;
}
