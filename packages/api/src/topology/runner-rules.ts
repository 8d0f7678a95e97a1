/** Whether the runner of the deploy roles reaches the machines they are for. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import { entriesAt, entryAt, type Holder, type Lab, type Network } from './lab.ts';
import { broken, type TopologyProblem } from './problem.ts';
import { contains, parseRange } from './range.ts';

/** Every machine with deploy roles has an address that the runner's network holds, or leads to by a route. */
export function runnerReach(lab: Lab): TopologyProblem[] {
  const network = lab.runner?.network === undefined ? undefined : lab.networkByName.get(lab.runner.network);
  if (network?.range === undefined) return [];
  return lab.vms.flatMap((vm) => {
    const roles = entryAt(entryAt(vm, 'ansible'), 'roles');
    if (entriesAt(roles, 'deploy').length === 0 || isReached(vm, network)) return [];
    const rule = `the deployRunner is on network ${network.name}, where ${vm.name} has no address, and no route of that network leads to one of its addresses; give ${vm.name} an address there, or move the deployRunner`;
    return [broken(`${roles.path}.deploy`, roles.fields.deploy, rule)];
  });
}

function isReached({ cards }: Holder, network: Network): boolean {
  const ways = network.routes.flatMap(({ destination, nextHop }) => {
    const range = destination === undefined ? undefined : parseRange(destination);
    return range === undefined || nextHop === undefined || parseAddress(nextHop) === undefined ? [] : [range];
  });
  return cards.some(({ network: name, ipAddress }) => {
    const prefix = ipAddress === undefined ? undefined : parsePrefix(ipAddress);
    if (prefix === undefined) return false;
    return name === network.name || ways.some((range) => contains(range, prefix.address));
  });
}
