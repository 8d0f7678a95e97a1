import { readFileSync } from 'node:fs';
import type { Credentials } from '@terrain/runtime';

/** What a contender is told, through its environment: a contender may be a Go program. */
export interface Settings {
  readonly namespace: string;
  /** Objects it may work on at the same time. */
  readonly workers: number;
  /** It says `settled` when this many objects have been looked at. */
  readonly expect: number;
  /** Name of the Lease to hold while working; absent: work at once. */
  readonly lease?: string;
  /** File for those who load one as kubectl does. */
  readonly kubeconfig: string;
  /** File with the same as JSON, for those who do not want to pay for a loader. */
  readonly credentialsFile: string;
}

export function toEnvironment(settings: Settings): Record<string, string> {
  return {
    BENCH_NAMESPACE: settings.namespace,
    BENCH_WORKERS: String(settings.workers),
    BENCH_EXPECT: String(settings.expect),
    BENCH_LEASE: settings.lease ?? '',
    KUBECONFIG: settings.kubeconfig,
    BENCH_CREDENTIALS: settings.credentialsFile,
  };
}

export function fromEnvironment(env: NodeJS.ProcessEnv): Settings {
  const read = (name: string): string => {
    const value = env[name];
    if (value === undefined) throw new Error(`${name} is not set; contenders are started by the bench, not by hand`);
    return value;
  };
  const lease = read('BENCH_LEASE');
  return {
    namespace: read('BENCH_NAMESPACE'),
    workers: Number(read('BENCH_WORKERS')),
    expect: Number(read('BENCH_EXPECT')),
    kubeconfig: read('KUBECONFIG'),
    credentialsFile: read('BENCH_CREDENTIALS'),
    ...(lease === '' ? {} : { lease }),
  };
}

export const readCredentials = ({ credentialsFile }: Settings): Credentials =>
  JSON.parse(readFileSync(credentialsFile, 'utf8')) as Credentials;
