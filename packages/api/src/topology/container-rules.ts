/** What must hold for containers: their mounts, ports and capabilities; and for the volumes they mount. */
import { allowedCapabilities } from '#workspace/container.ts';
import { type Entry, entriesAt, entryAt, type Holder, type Lab, textOf, textsAt } from './lab.ts';
import { missing } from './names.ts';
import { broken, type TopologyProblem } from './problem.ts';

const containersOf = (lab: Lab): readonly Entry[] => lab.clusters.flatMap((cluster) => entriesAt(cluster, 'containers'));

/** Every mount names a volume, and has a directory of its own. */
export function mounts(lab: Lab): TopologyProblem[] {
  const volumes = new Set(lab.volumes.flatMap(({ fields }) => textOf(fields.name) ?? []));
  return containersOf(lab).flatMap((container) => {
    const taken = new Map<string, string>();
    return entriesAt(container, 'volumeMounts').flatMap(({ path, fields }) => {
      const name = textOf(fields.name);
      const rule = placeRule(path, textOf(fields.containerPath), taken);
      return [
        ...(name === undefined || volumes.has(name)
          ? []
          : [broken(`${path}.name`, name, missing(name, 'volume', `${lab.path}.volumes`, [...volumes]))]),
        ...(rule === undefined ? [] : [broken(`${path}.containerPath`, fields.containerPath, rule)]),
      ];
    });
  });
}

function placeRule(path: string, containerPath: string | undefined, taken: Map<string, string>): string | undefined {
  if (containerPath === undefined) return undefined;
  const directory = containerPath.replaceAll(/\/+/g, '/').replace(/\/(\.\/)*\.?$/, '');
  if (directory === '') return 'a volume cannot take the place of the whole image; mount it in a directory, such as /config';
  const earlier = taken.get(directory);
  if (earlier !== undefined) return `${earlier} is mounted there already; give each volume a directory of its own`;
  taken.set(directory, path);
  return undefined;
}

/** A volume is filled from a directory inside the content image. */
export const contentPaths = (lab: Lab): TopologyProblem[] =>
  lab.volumes.flatMap(({ path, fields }) => {
    const localPath = textOf(fields.localPath);
    const isFine = localPath === undefined || (localPath.startsWith('/') && !localPath.split('/').includes('..'));
    const rule = 'an absolute path without .. is needed: a directory inside contentImage, such as /config';
    return isFine ? [] : [broken(`${path}.localPath`, localPath, rule)];
  });

type Port = {
  readonly path: string;
  readonly containerPath: string;
  readonly protocol: string;
  readonly containerPort: number;
  readonly servicePort: number;
  readonly servicePortField: 'hostPort' | 'containerPort';
};

function portsOf(container: Entry): readonly Port[] {
  return entriesAt(container, 'portMappings').flatMap(({ path, fields: { containerPort, hostPort, protocol } }) =>
    typeof containerPort !== 'number'
      ? []
      : [
          {
            path,
            containerPath: container.path,
            containerPort,
            protocol: (textOf(protocol) ?? 'TCP').toUpperCase(),
            servicePort: typeof hostPort === 'number' ? hostPort : containerPort,
            servicePortField: typeof hostPort === 'number' ? 'hostPort' : 'containerPort',
          },
        ],
  );
}

/** One Service leads to a cluster, so each of its ports leads to one place; and containers of a cluster share one set of ports. */
export const ports = (lab: Lab): TopologyProblem[] => lab.clusters.flatMap(clusterPorts);

function clusterPorts(cluster: Holder): TopologyProblem[] {
  const leading = new Map<string, string>();
  const listening = new Map<string, Port>();
  return entriesAt(cluster, 'containers')
    .flatMap(portsOf)
    .flatMap((port) => {
      const { path, protocol, containerPort, servicePort, servicePortField } = port;
      const earlier = leading.get(`${servicePort}/${protocol}`);
      if (earlier === undefined) leading.set(`${servicePort}/${protocol}`, path);
      const listener = listening.get(`${containerPort}/${protocol}`);
      if (listener === undefined) listening.set(`${containerPort}/${protocol}`, port);
      const isShared = listener !== undefined && listener.containerPath !== port.containerPath;
      return [
        ...(earlier === undefined
          ? []
          : [
              broken(
                `${path}.${servicePortField}`,
                servicePort,
                `port ${servicePort}/${protocol} of Service ${cluster.name} leads to ${earlier} already; give each mapping a hostPort of its own`,
              ),
            ]),
        ...(isShared
          ? [
              broken(
                `${path}.containerPort`,
                containerPort,
                `${listener.path} listens on ${containerPort}/${protocol} already, and containers of one cluster share their ports; have one of them listen elsewhere, or move it to another cluster`,
              ),
            ]
          : []),
      ];
    });
}

/** Containers get only capabilities that give no power over the node. */
export const capabilities = (lab: Lab): TopologyProblem[] =>
  containersOf(lab).flatMap((container) =>
    textsAt(entryAt(container, 'capabilities'), 'add')
      .filter(({ text }) => !(allowedCapabilities as readonly string[]).includes(text))
      .map(({ path, text }) =>
        broken(path, text, `it reaches beyond the container; remove it, or use one of ${allowedCapabilities.join(', ')}`),
      ),
  );
