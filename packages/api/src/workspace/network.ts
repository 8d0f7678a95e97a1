import { bounds } from '#common/bounds.ts';
import { address, dnsLabel, networkCidr } from '#common/field.ts';
import { atomicList } from '#common/list.ts';
import { type Rule, rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';

const route = Type.Object(
  {
    destinationNetworkCidr: networkCidr(
      'destinationNetworkCidr',
      'The network behind the next hop; 0.0.0.0/0 is the default route.',
    ),
    nextHopIpAddress: address('nextHopIpAddress', 'The address in this network that leads there.'),
  },
  { description: 'One route.' },
);

const nameservers = Type.Object(
  {
    addresses: Type.Optional(
      atomicList(address('nameservers.addresses', 'One nameserver.'), 'Nameservers, in the order they are asked.', {
        maxItems: 8,
      }),
    ),
  },
  { description: 'Nameservers of everything on this network.' },
);

/** One isolated layer 2 network. */
export const network = Type.Object(
  {
    name: dnsLabel('Name the interfaces refer to.'),
    cidr: networkCidr('cidr', 'Range of addresses, such as 10.10.0.0/24. Two workspaces may use the same: they never meet.'),
    nameservers: Type.Optional(nameservers),
    rangeGateway: Type.Optional(
      address('rangeGateway', 'Address of the way out of the lab, where the network backend offers one. Always reserved.'),
    ),
    routes: Type.Optional(atomicList(route, 'Routes of everything on this network.', { maxItems: bounds.routes })),
  },
  {
    description: 'One isolated layer 2 network.',
    ...rules({
      rule: '!has(self.rangeGateway) || !isIP(self.rangeGateway) || !isCIDR(self.cidr) || cidr(self.cidr).containsIP(self.rangeGateway)',
      message: 'rangeGateway is not inside the cidr of its network; correct one of the two',
      fieldPath: '.rangeGateway',
    }),
  },
);

/** True when `face` names a network that is defined. */
const exists = '(has(self.networks) && self.networks.exists(net, net.name == face.network))';

/**
 * True when the address of `face` is inside the cidr of its network. A malformed address or cidr, and an unknown network, have
 * rules of their own and pass here, so that a person reads one complaint per mistake.
 */
const inside =
  '(!has(face.ipAddress) || !isCIDR(face.ipAddress) || !has(self.networks) || self.networks.all(net, net.name != face.network || !isCIDR(net.cidr) || cidr(net.cidr).containsIP(cidr(face.ipAddress).ip())))';

/**
 * A sentence with the names of the offenders in place of %s. The estimated cost stays bounded only in this form: a filtered list, or
 * the size of a string in one, is unbounded to the estimator.
 */
function naming(list: string, holds: string, sentence: string): string {
  return `'${sentence}'.format([self.${list}.map(item, has(item.interfaces) && !item.interfaces.all(face, ${holds}), item.name)])`;
}

function everyInterface(list: 'vms' | 'containerClusters'): readonly Rule[] {
  const all = (holds: string): string =>
    `!has(self.${list}) || self.${list}.all(item, !has(item.interfaces) || item.interfaces.all(face, ${holds}))`;
  return [
    {
      rule: all(exists),
      message: `${list}: an interface names a network that is not defined; add it to networks, or correct the name`,
      messageExpression: naming(
        list,
        exists,
        `an interface of %s names a network that is not defined; add it to networks, or correct the name`,
      ),
      fieldPath: `.${list}`,
    },
    {
      rule: all(inside),
      message: `${list}: an ipAddress is not inside the cidr of its network; correct the address or the cidr`,
      messageExpression: naming(
        list,
        inside,
        `an ipAddress of %s is not inside the cidr of its network; correct the address or the cidr`,
      ),
      fieldPath: `.${list}`,
    },
  ];
}

function runner(holds: string): string {
  return `!has(self.deployRunner) || ${holds.replaceAll('face.', 'self.deployRunner.')}`;
}

/** Everything attached to a network names one that is defined, with an address inside its cidr. */
export const topologyRules: readonly Rule[] = [
  ...everyInterface('vms'),
  ...everyInterface('containerClusters'),
  {
    rule: runner(exists),
    message: 'deployRunner.network is not defined; add it to networks, or correct the name',
    fieldPath: '.deployRunner',
  },
  {
    rule: runner(inside),
    message: 'deployRunner.ipAddress is not inside the cidr of its network; correct the address or the cidr',
    fieldPath: '.deployRunner',
  },
];
