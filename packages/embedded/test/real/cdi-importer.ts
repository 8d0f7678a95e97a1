import { readdirSync, readFileSync } from 'node:fs';
import type { Thing } from './cdi-stand.ts';

/** Kills the importer in a pod as the kernel would when it runs out of memory; returns how many processes that were. */
export function killImporter(podUid: string): number {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isImporterOf(name, podUid));
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

function isImporterOf(pid: string, podUid: string): boolean {
  try {
    const isImporter = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/usr/bin/cdi-importer\0');
    return isImporter && readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`pod${podUid}`);
  } catch {
    return false; // it ended meanwhile
  }
}

interface ContainerState {
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: { readonly startedAt?: string };
}

interface ContainerStatus {
  readonly containerID?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** When importers were started, as kubelet tells it in whole seconds, and when their first failure could be seen; by namespace. */
export class ImporterLog {
  readonly #starts = new Map<string, Set<string>>();
  readonly #failures = new Map<string, number>();

  pod({ metadata, status }: Thing): void {
    for (const { state, lastState } of (status?.containerStatuses as readonly ContainerStatus[] | undefined) ?? [])
      for (const one of [state?.running, state?.terminated, lastState?.terminated])
        if (one?.startedAt !== undefined) this.#startsIn(metadata.namespace ?? '').add(`${metadata.uid} ${one.startedAt}`);
  }

  dataVolume({ metadata, status }: Thing): void {
    const conditions = status?.conditions as readonly { type: string; status: string; reason?: string }[] | undefined;
    const running = conditions?.find(({ type }) => type === 'Running');
    const namespace = metadata.namespace ?? '';
    if (running?.reason === 'Error' && !this.#failures.has(namespace)) this.#failures.set(namespace, Date.now());
  }

  startsIn(namespace: string): readonly number[] {
    return [...this.#startsIn(namespace)].map((start) => Date.parse(start.split(' ')[1]!));
  }

  firstFailureIn(namespace: string): number | undefined {
    return this.#failures.get(namespace);
  }

  #startsIn(namespace: string): Set<string> {
    const found = this.#starts.get(namespace) ?? new Set();
    this.#starts.set(namespace, found);
    return found;
  }
}
