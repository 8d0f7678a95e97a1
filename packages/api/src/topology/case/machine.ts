import { type Case, write } from '../lab.example.ts';

/** Labs with a machine that contradicts itself or another. */
export const machineCases: Record<string, Case> = {
  'two sizes for one disk': {
    given: ({ vms }) => {
      write(vms[0]!, { diskSize: '18Gi' });
      write(vms[0]!.resources, { diskSize: '20Gi' });
    },
    want: [
      'spec.vms[0].diskSize is "18Gi", but spec.vms[0].resources.diskSize is "20Gi", and both mean the root disk; keep one of them',
    ],
  },
  'one image with two sources': {
    given: ({ vms }) => {
      const template = { sourceType: 'http', url: 'https://images.example.com/a.qcow2', diskSize: '10Gi' };
      write(vms[0]!, { backingVMDiskImage: 'shared', vmDiskImageTemplate: template });
      write(vms[1]!, { backingVMDiskImage: 'shared', vmDiskImageTemplate: { ...template, diskSize: '20Gi', secretRef: 'key' } });
    },
    want: [
      'spec.vms[1].vmDiskImageTemplate.diskSize is "20Gi", but spec.vms[0].vmDiskImageTemplate.diskSize is "10Gi", and image shared is made once; write the same in both, or give this machine another backingVMDiskImage',
      'spec.vms[1].vmDiskImageTemplate.secretRef is "key", but spec.vms[0].vmDiskImageTemplate.secretRef is not given, and image shared is made once; write the same in both, or give this machine another backingVMDiskImage',
    ],
  },
  'a port to ask on a machine with cards': {
    given: ({ vms }) => write(vms[0]!, { guestReadiness: { mode: 'TCP', port: 22 } }),
    want: [
      'spec.vms[0].guestReadiness.mode is "TCP", but only machines on the pod network can be asked, and one with interfaces is not on it; use mode Running or Agent',
    ],
  },
  'no port to ask': {
    given: ({ vms }) => write(vms[1]!, { interfaces: [], guestReadiness: { mode: 'TCP' } }),
    want: [
      'spec.vms[1].guestReadiness.mode is "TCP", but the port to ask is missing; add guestReadiness.port, or use mode Running or Agent',
    ],
  },
};
