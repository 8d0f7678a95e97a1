import { allowedCapabilities } from '#workspace/container.ts';
import { type Case, write } from '../lab.example.ts';

/** Labs with containers that cannot work together. */
export const containerCases: Record<string, Case> = {
  'a mount of a volume that is not there': {
    given: ({ containerClusters }) => write(containerClusters[0]!.containers[0]!.volumeMounts![0]!, { name: 'keys' }),
    want: [
      'spec.containerClusters[0].containers[0].volumeMounts[0].name is "keys", but there is no volume of that name; add it to spec.volumes, or name one that is there',
    ],
  },
  'a mount over the whole image': {
    given: ({ containerClusters }) => write(containerClusters[0]!.containers[0]!.volumeMounts![0]!, { containerPath: '/' }),
    want: [
      'spec.containerClusters[0].containers[0].volumeMounts[0].containerPath is "/", but a volume cannot take the place of the whole image; mount it in a directory, such as /config',
    ],
  },
  'two mounts in one directory': {
    given: ({ containerClusters }) =>
      containerClusters[0]!.containers[0]!.volumeMounts!.push({ name: 'zones', containerPath: '/zones/' }),
    want: [
      'spec.containerClusters[0].containers[0].volumeMounts[1].containerPath is "/zones/", but spec.containerClusters[0].containers[0].volumeMounts[0] is mounted there already; give each volume a directory of its own',
    ],
  },
  'a volume filled from a path that climbs': {
    given: ({ volumes }) => write(volumes[0]!, { localPath: '/zones/../etc' }),
    want: [
      'spec.volumes[0].localPath is "/zones/../etc", but an absolute path without .. is needed: a directory inside contentImage, such as /config',
    ],
  },
  'two containers behind one port of the Service': {
    given: ({ containerClusters }) =>
      write(containerClusters[0]!.containers[1]!, { portMappings: [{ containerPort: 5353, protocol: 'UDP', hostPort: 53 }] }),
    want: [
      'spec.containerClusters[0].containers[1].portMappings[0].hostPort is 53, but port 53/UDP of Service dns leads to spec.containerClusters[0].containers[0].portMappings[0] already; give each mapping a hostPort of its own',
    ],
  },
  'two containers that listen on one port': {
    given: ({ containerClusters }) =>
      write(containerClusters[0]!.containers[1]!, { portMappings: [{ containerPort: 53, protocol: 'udp', hostPort: 5353 }] }),
    want: [
      'spec.containerClusters[0].containers[1].portMappings[0].containerPort is 53, but spec.containerClusters[0].containers[0].portMappings[0] listens on 53/UDP already, and containers of one cluster share their ports; have one of them listen elsewhere, or move it to another cluster',
    ],
  },
  'a capability over the node': {
    given: ({ containerClusters }) =>
      write(containerClusters[0]!.containers[0]!, { capabilities: { add: ['KILL', 'SYS_ADMIN'] } }),
    want: [
      `spec.containerClusters[0].containers[0].capabilities.add[1] is "SYS_ADMIN", but it reaches beyond the container; remove it, or use one of ${allowedCapabilities.join(', ')}`,
    ],
  },
};
