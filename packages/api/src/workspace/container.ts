import { bounds } from '#common/bounds.ts';
import { dnsLabel, flag, port, positiveQuantity, text } from '#common/field.ts';
import { atomicList, mapList, setList } from '#common/list.ts';
import type { Rule } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { networkInterface } from '#virtualmachine/machine.ts';

/** Capabilities a container may be given: those the Pod Security Standard "baseline" allows, which give no power over the node. */
export const allowedCapabilities = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
] as const;

const allowedList = `[${allowedCapabilities.map((name) => `'${name}'`).join(', ')}]`;
const because = `because they reach beyond the container; allowed are ${allowedCapabilities.join(', ')}`;

/** One rule for the list, not one per item: a full workspace has thousands of items, and each evaluation has its price. */
const onlyHarmless: Rule = {
  rule: `self.all(name, name in ${allowedList})`,
  message: `these capabilities may not be added, ${because}`,
  messageExpression: `'%s may not be added, ${because}'.format([self.filter(name, !(name in ${allowedList}))])`,
};

const capabilities = Type.Object(
  {
    add: Type.Optional(
      setList(
        text(bounds.nameLength, 'A capability without the prefix CAP_, such as NET_BIND_SERVICE.'),
        'Capabilities to add. Only harmless ones are allowed.',
        { maxItems: 16, rules: [onlyHarmless] },
      ),
    ),
    drop: Type.Optional(
      setList(text(bounds.nameLength, 'A capability, or ALL.', { pattern: '^[A-Z][A-Z_]*$' }), 'Capabilities to drop.', {
        maxItems: 64,
      }),
    ),
  },
  { description: 'Linux capabilities of the container.' },
);

const env = Type.Object(
  {
    name: text(253, 'Name of the variable.', { minLength: 1, pattern: '^[A-Za-z_.-][A-Za-z0-9_.-]*$' }),
    value: Type.Optional(text(4096, 'Its value.')),
  },
  { description: 'One environment variable.' },
);

const volumeMount = Type.Object(
  {
    name: dnsLabel('The volume, by its name in volumes.'),
    containerPath: text(1024, 'Where it appears in the container.', { minLength: 1, pattern: '^/[^:]*$' }),
    readOnly: Type.Optional(flag('Forbid writing.', { default: false })),
  },
  { description: 'One volume in the container.' },
);

const portMapping = Type.Object(
  {
    containerPort: port('The port the container listens on.'),
    protocol: Type.Optional(
      text(4, 'tcp, udp or sctp, in upper or lower case.', {
        pattern: '^([tT][cC][pP]|[uU][dD][pP]|[sS][cC][tT][pP])$',
        default: 'TCP',
      }),
    ),
    hostPort: Type.Optional(
      port(
        'The port of the Service that leads here. The Service has the name of the container cluster; no port of a node is ever taken, so two clusters may use the same. Left out: the same as containerPort.',
      ),
    ),
  },
  { description: 'One port under which the container can be reached in the workspace.' },
);

const containerResources = Type.Object(
  {
    cpu: Type.Optional(positiveQuantity('resources.cpu', 'Processor time, such as 128m.')),
    memory: Type.Optional(positiveQuantity('resources.memory', 'Memory, such as 256Mi.')),
  },
  { description: 'What the container may use.' },
);

const argument = text(4096, 'One word.');

const container = Type.Object(
  {
    name: dnsLabel('Name of the container.'),
    image: text(512, 'Container image, with tag or digest.', { minLength: 1 }),
    command: Type.Optional(atomicList(argument, 'Program to run. Left out: the one of the image.', { maxItems: 64 })),
    args: Type.Optional(atomicList(argument, 'Arguments of the program. Left out: those of the image.', { maxItems: 64 })),
    resources: Type.Optional(containerResources),
    capabilities: Type.Optional(capabilities),
    env: Type.Optional(mapList(env, ['name'], 'Environment of the container.', { maxItems: 128 })),
    volumeMounts: Type.Optional(
      mapList(volumeMount, ['containerPath'], 'Volumes in the container.', { maxItems: bounds.volumes }),
    ),
    portMappings: Type.Optional(atomicList(portMapping, 'Ports under which the container can be reached.', { maxItems: 32 })),
  },
  { description: 'One container.' },
);

/** Containers that share their network cards, as those of a pod do. */
export const containerCluster = Type.Object(
  {
    name: dnsLabel('Name of the cluster, and of the Service that leads to it.'),
    ignoreOnDeploy: Type.Optional(flag('Create it with no replica; it counts as ready.', { default: false })),
    interfaces: Type.Optional(
      mapList(networkInterface, ['network'], 'Network cards, one per network.', { maxItems: bounds.interfaces }),
    ),
    containers: mapList(container, ['name'], 'The containers.', { maxItems: bounds.containers, minItems: 1 }),
  },
  { description: 'Containers that share their network cards, as those of a pod do. One Deployment with one replica.' },
);
