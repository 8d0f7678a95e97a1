/** Machines for tests, as an API server would store them. */
import type { VirtualMachine, VirtualMachineStatus } from '@terrain/api';
import { aVirtualMachine, type Override, override, stored } from '@terrain/api/testing';

export function aMachine(name: string, change: Override<VirtualMachine> = {}): VirtualMachine {
  return stored(override(aVirtualMachine({ metadata: { name, namespace: 'lab' } }), change));
}

/** The status of a machine that is as its spec asks. */
export const readyStatus: VirtualMachineStatus = {
  observedGeneration: 1,
  phase: 'Ready',
  message: 'the machine runs',
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Ready', message: 'the machine runs', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
  rootDisk: 'web-1-root',
  kubevirt: { name: 'web', printableStatus: 'Running' },
};
