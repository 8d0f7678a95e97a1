/** Whether the networks of a machine are there, and what its guest has to know of them. Pure. */
import { annotations } from '@terrain/api';
import { type GuestInterface, guestInterfaces } from '#cloudinit/interfaces.ts';
import { type NetworkFacts, parseNetworkFacts } from '#cloudinit/network-facts.ts';
import { type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';

export type NetworkState = { readonly finding: Finding; readonly interfaces: readonly GuestInterface[] };

export function networkState({ machine, networks, platform }: Snapshot): NetworkState {
  const names = (machine.spec.interfaces ?? []).map(({ network }) => network);
  const facts = new Map<string, NetworkFacts>();
  const problems: string[] = [];
  for (const name of names) {
    const reading = parseNetworkFacts(networks.get(name)?.metadata.annotations?.[annotations.network]);
    if ('facts' in reading) facts.set(name, reading.facts);
    else problems.push(`NetworkAttachmentDefinition ${name}: ${reading.problem}`);
  }
  const missing = names.filter((name) => !networks.has(name));
  return { finding: findingOf(names, missing, problems, platform.hasNetworks), interfaces: guestInterfaces(machine, facts) };
}

function findingOf(
  names: readonly string[],
  missing: readonly string[],
  problems: readonly string[],
  isServed: boolean,
): Finding {
  if (names.length === 0) return yes('Attached', 'the machine is on the pod network');
  if (!isServed)
    return no(
      'PlatformMissing',
      'NetworkAttachmentDefinitions (k8s.cni.cncf.io/v1) are not served in this cluster; install Multus, and the machine goes on by itself',
    );
  if (missing.length > 0)
    return no(
      'NetworkMissing',
      `there is no NetworkAttachmentDefinition ${missing.join(', ')} in this namespace; create it, or correct interfaces`,
    );
  if (problems.length > 0) return stuck('NetworkInvalid', problems.join('; '));
  return yes('Attached', `${names.length === 1 ? 'network' : 'networks'} ${names.join(', ')}`);
}
