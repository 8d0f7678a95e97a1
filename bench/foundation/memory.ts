import type { Row } from '../lib/bench.ts';

interface Measured {
  readonly name: string;
  readonly residentBytes?: number | undefined;
}

/** What any Kubernetes has, whoever starts it: the part that is not ours to make smaller. */
const controlPlane = new Set(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);

/** The memory of `terrain up` and of all that it started, with what the control plane takes of it. */
export function memoryRows(processes: readonly Measured[]): Row[] {
  const mebibytes = (some: readonly Measured[]): number =>
    some.reduce((sum, { residentBytes = Number.NaN }) => sum + residentBytes, 0) / 2 ** 20;
  const row = (name: string, some: readonly Measured[]): Row => ({
    name: `idle memory of ${name}`,
    value: mebibytes(some),
    unit: 'MiB',
  });
  return [
    ...processes.map((each) => row(each.name, [each])),
    row(
      'the control plane',
      processes.filter(({ name }) => controlPlane.has(name)),
    ),
    row('all', processes),
  ];
}

/** The resident memory that the status of a process in /proc tells; undefined if it tells none. */
export function residentBytesIn(status: string): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
