import type { Instance, InstanceStatus } from '../objects.ts';
import { timestamp } from '../time.ts';

/** Held by the instance's own controller until its pod is gone. */
export const instanceFinalizer = 'kubevirt.io/foregroundDeleteVirtualMachine';
/** Held by the VirtualMachine's controller until it has recorded how the instance ended; also on the VirtualMachine. */
export const machineFinalizer = 'kubevirt.io/virtualMachineControllerFinalize';

export function isFinal(instance: Instance | undefined): boolean {
  return instance?.status?.phase === 'Succeeded' || instance?.status?.phase === 'Failed';
}

/** Kept by KubeVirt to know later whether an instance ever ran. */
export function transitions(
  current: InstanceStatus,
  phase: string,
  nowMs: number,
): NonNullable<InstanceStatus['phaseTransitionTimestamps']> {
  const known = current.phaseTransitionTimestamps ?? [];
  if (known.some((one) => one.phase === phase)) return known;
  return [...known, { phase, phaseTransitionTimestamp: timestamp(nowMs) }];
}
