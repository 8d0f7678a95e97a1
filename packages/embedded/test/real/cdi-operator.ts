import { fileURLToPath } from 'node:url';
import {
  admissionPolicies,
  crdOf,
  kinds,
  ledgerManifest,
  operatorIdentity,
  operatorRole,
  resolveInstall,
  syncPolicyName,
  type VMDiskImage,
} from '@terrain/api';
import { type EmbeddedCluster, startCompanion } from '@terrain/embedded';
import { applyManifests, type KubeObject, Resource } from '@terrain/runtime';
import { types } from './cdi-stand.ts';

const { operatorNamespace, operatorUser } = resolveInstall({});
const entry = fileURLToPath(new URL('../../../operator/src/main.mjs', import.meta.url));

/** Installs Terrain and runs its operator beside a cluster, with the rights of the real one. */
export async function operate(cluster: EmbeddedCluster): Promise<void> {
  const connection = cluster.connection();
  const manifests = [
    ...kinds.map(crdOf),
    ...admissionPolicies().flat(),
    ...operatorIdentity(),
    ...operatorRole(),
  ] as KubeObject[];
  await applyManifests(connection, manifests, { fieldManager: 'test' });
  await new Resource(connection, types.configMaps).create(ledgerManifest());
  await startCompanion(cluster, {
    name: 'operator',
    program: process.execPath,
    args: [entry, '--no-leader-election'],
    user: operatorUser,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${operatorNamespace}`],
    readyWords: '"msg":"working"',
  });
}

/** How the operator is to work: all of it, the rest is as by default. */
export async function setPolicy(cluster: EmbeddedCluster, data: Readonly<Record<string, string>>): Promise<void> {
  const policy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: syncPolicyName, namespace: operatorNamespace }, data };
  await applyManifests(cluster.connection(), [policy], { fieldManager: 'test' });
}

/** The reason of Ready. */
export function reasonOf(image: VMDiskImage | undefined): string {
  return image?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
}
