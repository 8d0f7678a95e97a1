import { parse } from 'yaml';
import type { InstanceSpec, NetworkInterfaceStatus } from '../objects.ts';

/** One interface of a guest's network configuration. */
interface GuestInterface {
  readonly id: string;
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
    return {
      id,
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

/**
 * What status.interfaces says: names and MACs from the hypervisor, addresses only from the guest's agent, and only those the network data
 * gives; a simulated guest asks no DHCP server.
 */
export function interfaceStatus(
  spec: InstanceSpec,
  macOf: (name: string) => string,
  agent: { readonly networkData: string | undefined } | undefined,
): readonly NetworkInterfaceStatus[] {
  const guest = readNetworkData(agent?.networkData);
  return (spec.domain?.devices?.interfaces ?? []).map(({ name, macAddress }, index) => {
    const mac = macAddress ?? macOf(name);
    const base = { name, mac, queueCount: 1 };
    if (agent === undefined) return { ...base, infoSource: 'domain' };
    const found =
      guest.find((one) => one.mac?.toLowerCase() === mac.toLowerCase()) ??
      guest.find((one) => one.mac === undefined && one.id === name);
    const addresses = found?.addresses ?? [];
    return {
      ...base,
      interfaceName: `enp${index + 1}s0`,
      infoSource: 'domain, guest-agent',
      ...(addresses[0] === undefined ? {} : { ipAddress: addresses[0], ipAddresses: addresses }),
    };
  });
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
