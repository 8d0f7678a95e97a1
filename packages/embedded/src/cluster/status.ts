import { readFile } from 'node:fs/promises';
import { Connection, type Credentials } from '@terrain/runtime';
import { credentialsIn } from '#control-plane/kubeconfig.ts';
import { homeLayout } from '#home/layout.ts';
import { readRecord } from '#home/record.ts';
import { isRunning, residentBytes } from '#process/process-facts.ts';
import type { ProcessFact } from './embedded-cluster.ts';
import { readRunningFile } from './running-file.ts';

export interface ClusterStatus {
  readonly home: string;
  /** `unhealthy`: processes run, but one is missing or the API server does not say that it is ready. */
  readonly state: 'absent' | 'stopped' | 'starting' | 'running' | 'unhealthy';
  /** What is wrong, as a sentence; only when unhealthy. */
  readonly problem: string | undefined;
  /** The process that runs the cluster. */
  readonly pid: number | undefined;
  readonly port: number | undefined;
  readonly kubeconfig: string;
  readonly kubernetes: string | undefined;
  readonly processes: readonly ProcessFact[];
}

/** Looks at a home from outside; starts and changes nothing. */
export async function clusterStatus(home: string): Promise<ClusterStatus> {
  const layout = homeLayout(home);
  const record = await readRecord(layout);
  const running = await readRunningFile(layout);
  const known = typeof record === 'string' ? undefined : record;
  const facts = {
    home: layout.home,
    problem: undefined,
    pid: running?.pid,
    port: running?.port ?? known?.port,
    kubeconfig: layout.kubeconfig,
    kubernetes: known?.kubernetes,
    processes: (running?.processes ?? [])
      .filter(({ pid }) => isRunning(pid))
      .map((fact) => ({ ...fact, residentBytes: residentBytes(fact.pid) })),
  };
  if (running === undefined) return { ...facts, state: record === 'absent' ? 'absent' : 'stopped' };
  if (running.state === 'starting') return { ...facts, state: 'starting' };
  const problem = missingProcess(running.processes) ?? (await readinessProblem(layout.kubeconfig));
  return { ...facts, state: problem === undefined ? 'running' : 'unhealthy', problem };
}

function missingProcess(processes: readonly { readonly name: string; readonly pid: number }[]): string | undefined {
  const missing = processes.find(({ pid }) => !isRunning(pid));
  return missing && `${missing.name} (process ${missing.pid}) no longer runs.`;
}

async function readinessProblem(kubeconfig: string): Promise<string | undefined> {
  try {
    await using connection = new Connection(await readCredentials(kubeconfig), { timeoutMs: 20_000 });
    await connection.request({ method: 'GET', path: '/readyz' });
    return undefined;
  } catch (error) {
    return `The API server is not ready: ${(error as Error).message}`;
  }
}

/** The administrator's credentials from a home's kubeconfig, without the half second that a general loader takes. */
export async function clusterCredentials(home: string): Promise<Credentials> {
  return readCredentials(homeLayout(home).kubeconfig);
}

async function readCredentials(kubeconfig: string): Promise<Credentials> {
  return credentialsIn(await readFile(kubeconfig, 'utf8'));
}
