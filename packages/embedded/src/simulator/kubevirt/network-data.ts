import { parse } from 'yaml';
import type { InstanceSpec, NetworkInterfaceStatus } from '../objects.ts';

/** One interface of a guest's network configuration. */
interface GuestInterface {
  readonly id: string;
  /** The name the guest is told to give it. */
  readonly setName?: string;
  readonly mac?: string;
  readonly addresses: readonly string[];
}

/** The interfaces of cloud-init network data, version 1 or 2; none when it cannot be read, as the guest would have none. */
export function readNetworkData(text: string | undefined): readonly GuestInterface[] {
  if (text === undefined) return [];
  let data: unknown;
  try {
    data = parse(text);
  } catch {
    return [];
  }
  const root = asRecord(asRecord(data).network ?? data);
  return Number(root.version) === 1 ? readVersion1(root) : readVersion2(root);
}

function readVersion2(root: Readonly<Record<string, unknown>>): readonly GuestInterface[] {
  return Object.entries(asRecord(root.ethernets)).map(([id, value]) => {
    const ethernet = asRecord(value);
    const mac = asRecord(ethernet.match).macaddress;
    const setName = ethernet['set-name'];
    return {
      id,
      ...(typeof setName === 'string' ? { setName } : {}),
      ...(typeof mac === 'string' ? { mac } : {}),
      addresses: asList(ethernet.addresses).map((address) => plainAddress(address)),
    };
  });
}

function readVersion1(root: Readonly<Record<string, unknown>>): readonly GuestInterface[] {
  return asList(root.config)
    .map(asRecord)
    .filter((entry) => entry.type === 'physical')
    .map((entry) => ({
      id: String(entry.name ?? ''),
      ...(typeof entry.mac_address === 'string' ? { mac: entry.mac_address } : {}),
      addresses: asList(entry.subnets)
        .flatMap((subnet) => asRecord(subnet).address ?? [])
        .map((address) => plainAddress(address)),
    }));
}

/** What decides the interfaces beside the spec. */
interface Wiring {
  /** The hardware address of an interface that names none. */
  readonly macOf: (name: string) => string;
  /** The launcher pod's address, once the machine runs. */
  readonly podAddress?: string;
  /** What the guest's agent reports; absent until it has connected. */
  readonly agent?: { readonly networkData: string | undefined; readonly address?: string };
}

/**
 * What status.interfaces says: names and MACs from the hypervisor, the pod network's address from the launcher pod, all other addresses only
 * from the guest's agent, and only those the network data gives; a simulated guest asks no DHCP server.
 */
export function interfaceStatus(spec: InstanceSpec, { macOf, podAddress, agent }: Wiring): readonly NetworkInterfaceStatus[] {
  const guest = readNetworkData(agent?.networkData);
  return (spec.domain?.devices?.interfaces ?? []).map(({ name, macAddress }, index) => {
    const mac = macAddress ?? macOf(name);
    const isPod = spec.networks?.some((network) => network.name === name && network.pod !== undefined) === true;
    const base = { name, mac, queueCount: 1 };
    const podAddresses = isPod && podAddress !== undefined ? [podAddress] : [];
    if (agent === undefined) return { ...base, infoSource: 'domain', ...addressesOf(podAddresses) };
    const found =
      guest.find((one) => one.mac?.toLowerCase() === mac.toLowerCase()) ??
      guest.find((one) => one.mac === undefined && one.id === name);
    const own = index === 0 && agent.address !== undefined ? [agent.address] : (found?.addresses ?? []);
    return {
      ...base,
      interfaceName: found?.setName ?? `enp${index + 1}s0`,
      infoSource: 'domain, guest-agent',
      ...addressesOf(isPod ? podAddresses : own),
    };
  });
}

function addressesOf(all: readonly string[]): Pick<NetworkInterfaceStatus, 'ipAddress' | 'ipAddresses'> {
  return all[0] === undefined ? {} : { ipAddress: all[0], ipAddresses: all };
}

function plainAddress(address: unknown): string {
  return String(address).replace(/\/\d+$/, '');
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
