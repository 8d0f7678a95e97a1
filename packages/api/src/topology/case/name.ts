import { type Case, write } from '../lab.example.ts';

/** Labs with one name for two things. */
export const nameCases: Record<string, Case> = {
  'two machines of one name': {
    given: ({ vms }) => write(vms[1]!, { name: 'router' }),
    want: ['spec.vms[1].name is "router", but spec.vms[0] has that name already; give every machine a name of its own'],
  },
  'two container clusters of one name': {
    given: ({ containerClusters }) =>
      containerClusters.push({ ...containerClusters[0]!, interfaces: [], containers: [containerClusters[0]!.containers[1]!] }),
    want: [
      'spec.containerClusters[1].name is "dns", but spec.containerClusters[0] has that name already; give every container cluster a name of its own',
    ],
  },
  'two volumes of one name': {
    given: ({ volumes }) => volumes.push({ ...volumes[0]! }),
    want: ['spec.volumes[1].name is "zones", but spec.volumes[0] has that name already; give every volume a name of its own'],
  },
  'two containers of one name': {
    given: ({ containerClusters }) => write(containerClusters[0]!.containers[1]!, { name: 'bind' }),
    want: [
      'spec.containerClusters[0].containers[1].name is "bind", but spec.containerClusters[0].containers[0] has that name already; give every container of a cluster a name of its own',
    ],
  },
  'a variable that is set twice': {
    given: ({ containerClusters }) =>
      write(containerClusters[0]!.containers[0]!, {
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    want: [
      'spec.containerClusters[0].containers[0].env[1].name is "A", but spec.containerClusters[0].containers[0].env[0] has that name already; set every variable once',
    ],
  },
};
