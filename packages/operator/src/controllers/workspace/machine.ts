/** The machines of a workspace. Pure. */
import type { VirtualMachine, WorkspaceVM } from '@terrain/api';
import { machineType } from '#controllers/shared/kind.ts';
import { isGoing } from '#controllers/shared/removal.ts';
import { childOf, type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';

export const machineOf = (snapshot: Snapshot, { name }: WorkspaceVM): VirtualMachine | undefined =>
  childOf<VirtualMachine>(snapshot, machineType, name);

/** What the machine says of itself. */
export function machineFinding(machine: VirtualMachine): Finding {
  const { status, metadata } = machine;
  if (isGoing(machine)) return no('VirtualMachinesNotReady', 'is being deleted, and made again when it is gone');
  if (status?.phase === undefined || status.observedGeneration !== metadata.generation)
    return no('VirtualMachinesNotReady', 'is being stood up');
  const message = status.message ?? '';
  if (status.phase === 'Ready') return yes('Ready', message);
  if (status.phase === 'Failed') return stuck('VirtualMachinesFailed', message);
  return no('VirtualMachinesNotReady', message);
}
