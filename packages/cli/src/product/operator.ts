import { fileURLToPath } from 'node:url';
import { resolveInstall } from '@terrain/api';
import { clusterRanges, type EmbeddedCluster, startCompanion } from '@terrain/embedded';

/** A program of its own, started by its file: the CLI knows nothing of its inside. */
const entry = fileURLToPath(new URL('../../../operator/src/main.mjs', import.meta.url));

/** How V8 is set for the operator, and why: docs/decisions/0023-v8-for-the-operator.md. `npm run operator` has the same. */
export const operatorFlags = [
  '--max-semi-space-size=8',
  '--v8-pool-size=1',
  '--no-concurrent-recompilation',
  '--no-turbofan',
] as const;

/** Runs the operator beside a cluster, with the rights it would have as a pod and no others. */
export function startOperator(cluster: EmbeddedCluster, options: { readonly signal: AbortSignal }): Promise<void> {
  const { operatorNamespace, operatorUser } = resolveInstall({});
  const operator = {
    name: 'operator',
    program: process.execPath,
    // There is one operator, and it dies with us: an election would only make a start after a crash wait for the old lease to run out.
    args: [
      ...operatorFlags,
      entry,
      '--no-leader-election',
      `--pod-range=${clusterRanges.podRange}`,
      `--service-range=${clusterRanges.serviceRange}`,
      `--dns-server=${clusterRanges.dnsServer}`,
    ],
    user: operatorUser,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${operatorNamespace}`],
    readyWords: '"msg":"working"',
  };
  return startCompanion(cluster, operator, options);
}
