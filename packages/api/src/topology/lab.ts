/**
 * A lab as it was written, with the path of everything in it. Reads anything: what is missing or of the wrong type is left out here,
 * because the schema tells about that, and the rest is judged all the same.
 */
import type { WorkspaceSpec } from '#workspace/schema.ts';
import { parseRange, type Range } from './range.ts';

/** An object somewhere in the manifest. */
export type Entry = { readonly path: string; readonly fields: Readonly<Record<string, unknown>> };

/** A network card: of a machine, of a container cluster, or of the runner. */
export type Card = {
  readonly path: string;
  readonly network: string | undefined;
  readonly ipAddress: string | undefined;
  readonly macAddress: string | undefined;
};

/** Something with a name and network cards. */
export type Holder = Entry & { readonly name: string; readonly cards: readonly Card[] };

/** A route of a network. */
export type Route = { readonly path: string; readonly destination: string | undefined; readonly nextHop: string | undefined };

/** A network of the lab. */
export type Network = {
  readonly path: string;
  readonly name: string;
  readonly cidr: string | undefined;
  /** The span of `cidr`; undefined when that is no network. */
  readonly range: Range | undefined;
  readonly gateway: string | undefined;
  readonly nameservers: readonly { readonly path: string; readonly address: string }[];
  readonly routes: readonly Route[];
};

/** A whole lab. */
export type Lab = Entry & {
  readonly networks: readonly Network[];
  /** The first network of each name. */
  readonly networkByName: ReadonlyMap<string, Network>;
  readonly vms: readonly Holder[];
  readonly clusters: readonly Holder[];
  readonly volumes: readonly Entry[];
  readonly runner: Card | undefined;
  /** Every card of the lab, in the order they were written. */
  readonly cards: readonly Card[];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text a field holds. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The field of an object somewhere in the manifest. */
export function entryAt({ path, fields }: Entry, name: string): Entry {
  const value = fields[name];
  return { path: `${path}.${name}`, fields: isObject(value) ? value : {} };
}

/** The objects of a list, each with its path. */
export function entriesAt({ path, fields }: Entry, name: string): readonly Entry[] {
  const list = fields[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) => (isObject(item) ? [{ path: `${path}.${name}[${index}]`, fields: item }] : []));
}

/** The texts of a list, each with its path. */
export function textsAt({ path, fields }: Entry, name: string): readonly { readonly path: string; readonly text: string }[] {
  const list = fields[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((text: unknown, index) => (typeof text === 'string' ? [{ path: `${path}.${name}[${index}]`, text }] : []));
}

const cardOf = ({ path, fields }: Entry): Card => ({
  path,
  network: textOf(fields.network),
  ipAddress: textOf(fields.ipAddress),
  macAddress: textOf(fields.macAddress),
});

const holderOf = (entry: Entry): Holder => ({
  ...entry,
  name: textOf(entry.fields.name) ?? '',
  cards: entriesAt(entry, 'interfaces').map(cardOf),
});

function networkOf(entry: Entry): Network {
  const cidr = textOf(entry.fields.cidr);
  return {
    path: entry.path,
    name: textOf(entry.fields.name) ?? '',
    cidr,
    range: cidr === undefined ? undefined : parseRange(cidr),
    gateway: textOf(entry.fields.rangeGateway),
    nameservers: textsAt(entryAt(entry, 'nameservers'), 'addresses').map(({ path, text }) => ({ path, address: text })),
    routes: entriesAt(entry, 'routes').map(({ path, fields }) => ({
      path,
      destination: textOf(fields.destinationNetworkCidr),
      nextHop: textOf(fields.nextHopIpAddress),
    })),
  };
}

/** Reads the spec of a Workspace, or that of the lab of a template; `path` is where it stands in its manifest. */
export function readLab(spec: WorkspaceSpec, path = 'spec'): Lab {
  const root: Entry = { path, fields: isObject(spec) ? spec : {} };
  const networks = entriesAt(root, 'networks').map(networkOf);
  const vms = entriesAt(root, 'vms').map(holderOf);
  const clusters = entriesAt(root, 'containerClusters').map(holderOf);
  const runner = isObject(root.fields.deployRunner) ? cardOf(entryAt(root, 'deployRunner')) : undefined;
  const networkByName = new Map<string, Network>();
  for (const network of networks) if (!networkByName.has(network.name)) networkByName.set(network.name, network);
  return {
    ...root,
    networks,
    networkByName,
    vms,
    clusters,
    volumes: entriesAt(root, 'volumes'),
    runner,
    cards: [...vms, ...clusters].flatMap(({ cards }) => cards).concat(runner ?? []),
  };
}
