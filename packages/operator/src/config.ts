/** Every setting of the program, read once. What people change while it runs is in the sync policy instead. */
import { isIP } from 'node:net';
import { parsePrefix, resolveInstall } from '@terrain/api';
import type { ClusterFacts } from '#controllers/workspace/snapshot.ts';
import { type CredentialSource, credentialSource } from './credentials.ts';

export interface OperatorConfig {
  /** Namespace of the policy, the ledger and the lease. */
  readonly namespace: string;
  /** Whether a lease decides who works. Without it every process does, which is safe but wasteful. */
  readonly hasLeaderElection: boolean;
  /** Images worked on at the same time. */
  readonly workers: number;
  readonly logLevel: string;
  /** Where probes and metrics are served; undefined: nowhere. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
  /** Which cluster it works on, and as whom. */
  readonly credentials: CredentialSource;
  /** What the cluster uses itself. Networks of workspaces keep clear of its ranges; not given: not judged. */
  readonly clusterRanges: ClusterFacts;
}

/** Settings that make no sense, all of them in one message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const knownFlags = '--no-leader-election, --pod-range=CIDR, --service-range=CIDR and --dns-server=ADDRESS';
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Reads flags and environment. Throws a ConfigError that names every problem. */
export function readConfig(args: readonly string[], env: Readonly<Record<string, string | undefined>>): OperatorConfig {
  const problems: string[] = [];
  const ranges = (flag: string): string[] =>
    args.flatMap((arg) => {
      if (!arg.startsWith(`${flag}=`)) return [];
      const range = arg.slice(flag.length + 1);
      if (parsePrefix(range) === undefined)
        problems.push(`${flag} is "${range}", expected a range of addresses such as 10.244.0.0/16`);
      return [range];
    });
  const unknown = args.filter((arg) => !/^(--no-leader-election$|--pod-range=|--service-range=|--dns-server=)/.test(arg));
  if (unknown.length > 0) problems.push(`there is no flag ${unknown.join(', ')}; there are ${knownFlags}`);
  const dnsServers = args.flatMap((arg) => (arg.startsWith('--dns-server=') ? [arg.slice('--dns-server='.length)] : []));
  for (const server of dnsServers)
    if (isIP(server) === 0) problems.push(`--dns-server is "${server}", expected an address such as 169.254.20.10`);
  const clusterRanges = { podRanges: ranges('--pod-range'), serviceRanges: ranges('--service-range'), dnsServers };
  const whole = (name: string, fallback: number, most: number): number => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= 1 && value <= most) return value;
    problems.push(`${name} is "${text}", expected a whole number from 1 to ${most}`);
    return fallback;
  };
  const logLevel = env.TERRAIN_LOG_LEVEL ?? 'info';
  if (!levels.includes(logLevel)) problems.push(`TERRAIN_LOG_LEVEL is "${logLevel}", expected one of ${levels.join(', ')}`);
  const workers = whole('TERRAIN_WORKERS', 32, 256);
  const port = whole('TERRAIN_HEALTH_PORT', 0, 65_535);
  const host = env.TERRAIN_HEALTH_HOST || '127.0.0.1';
  if (isIP(host) === 0) problems.push(`TERRAIN_HEALTH_HOST is "${host}", expected an address such as 0.0.0.0`);
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  const namespace = env.TERRAIN_NAMESPACE;
  return {
    namespace: resolveInstall(namespace === undefined || namespace === '' ? {} : { operatorNamespace: namespace })
      .operatorNamespace,
    hasLeaderElection: !args.includes('--no-leader-election'),
    workers,
    logLevel,
    health: port === 0 ? undefined : { host, port },
    credentials: credentialSource(env),
    clusterRanges,
  };
}
