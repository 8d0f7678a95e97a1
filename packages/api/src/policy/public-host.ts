/**
 * What a public host is, as CEL.
 *
 * An allow-list. A list of what is forbidden misses what only the resolver understands: `127.1`, `2130706433`, `0x7f.1`, `localhost.`
 * and `::ffff:127.0.0.1` all are the loopback address. Here they are simply neither a public address nor a public name.
 *
 * Caveats: a public name may resolve to, and a public server may redirect to, an address inside; and `service.namespace` looks like
 * a public name. Only a network policy on the importer's pods stops those.
 */
import { quoted, quotedList } from './cel.ts';

/** Blocks of IANA's registry of special-purpose IPv4 addresses, with multicast and the reserved class E. */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only block IPv6 addresses are given out from; all else is local, special or unassigned. */
const globalIPv6 = '2000::/3';

/** Blocks inside it that are not public: protocol assignments (Teredo among them), documentation, and 6to4, which wraps any IPv4 address. */
const specialIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Lower-case labels with dots between; the last is letters only (or punycode), as all top-level domains are, so no number passes. */
const namePattern = '^([a-z0-9-]+\\.)+([a-z]+|xn--[a-z0-9-]+)$';

/** Endings that resolvers inside a cluster or a cloud answer themselves. `default` is for `kubernetes.default`. */
const internalPattern = '(^|\\.)(svc|local|internal|localhost|localdomain|home\\.arpa|default)$';

const inNone = (blocks: readonly string[], address: string) =>
  `!${quotedList(blocks)}.exists(block, cidr(block).containsIP(${address}))`;

/** CEL: whether a host as in a URL (IPv6 without its brackets) is public. */
export const isPublicHost = (host: string): string =>
  `(isIP(${host}) ? (ip(${host}).family() == 4 ? ${inNone(specialIPv4, host)} : cidr('${globalIPv6}').containsIP(${host}) && ${inNone(specialIPv6, host)}) : ` +
  `${host}.matches(${quoted(namePattern)}) && !${host}.matches(${quoted(internalPattern)}))`;
