import { fileURLToPath } from 'node:url';
import { ledgerManifest, resolveInstall, syncPolicyName } from '@terrain/api';
import { installation } from '@terrain/api/testing';
import { applyManifests, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import type { EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { startCompanion } from '#cluster/start-companion.ts';
import { clusterRanges } from '#control-plane/arguments.ts';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const { operatorNamespace, operatorUser } = resolveInstall({});
const entry = fileURLToPath(new URL('../../../operator/src/main.mjs', import.meta.url));
const fieldManager = 'test';

/** Installs Terrain on a cluster and runs its operator beside it, with the rights of the real one. */
export async function startOperator(cluster: EmbeddedCluster, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
  const connection = cluster.connection();
  const options = signal === undefined ? {} : { signal };
  await applyManifests(connection, installation() as KubeObject[], { fieldManager, ...options });
  await new Resource(connection, configMaps).create(ledgerManifest());
  const operator = {
    name: 'operator',
    program: process.execPath,
    args: [entry, '--no-leader-election', `--dns-server=${clusterRanges.dnsServer}`],
    user: operatorUser,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${operatorNamespace}`],
    readyWords: '"msg":"working"',
  };
  await startCompanion(cluster, operator, options);
}

/** How the operator is to download: all of it, the rest is as by default. */
export async function setSyncPolicy(cluster: EmbeddedCluster, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: syncPolicyName, namespace: operatorNamespace };
  const policy = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubeObject;
  await applyManifests(cluster.connection(), [policy], { fieldManager });
}
