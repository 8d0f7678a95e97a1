import { type Case, write } from '../lab.example.ts';

/** Labs with more than one problem. */
export const severalCases: Record<string, Case> = {
  'several problems at once, in the order of the rules': {
    given: ({ vms, networks }) => {
      write(vms[1]!, { name: 'router' });
      write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.1/24' });
      write(networks[3]!, { cidr: '10.10.0.0/16' });
    },
    want: [
      'spec.vms[1].name is "router", but spec.vms[0] has that name already; give every machine a name of its own',
      'spec.networks[3].cidr is "10.10.0.0/16", but it overlaps network lan (10.10.0.0/24); give each network a range of its own',
      'spec.vms[1].interfaces[0].ipAddress is "172.16.0.1/24", but network dmz has prefix length 28; write 172.16.0.1/28',
      'spec.vms[1].interfaces[0].ipAddress is "172.16.0.1/24", but spec.vms[0].interfaces[1] has that address already; give each card its own',
    ],
  },
};
