import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyManifests } from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import type { EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { type ReadyCompanion, startCompanion } from '#cluster/start-companion.ts';
import { driverName } from '../service/identity.ts';
import { storageObjects } from './objects.ts';
import { type StorageProgram, storagePrograms, storageRights, userOf } from './rights.ts';

export interface StorageOptions {
  /** With the programs of the group `storage`. */
  readonly binaries: Binaries;
  /** Where volumes and snapshots are kept. Default: below the cluster's home. */
  readonly root?: string | undefined;
  /** kubelet's root directory; without one, volumes are made but nobody mounts them. */
  readonly kubelet?: string | undefined;
  /** Whether claims and snapshots that name no class come here. Default true. */
  readonly isDefault?: boolean | undefined;
  /** The name of the node that volumes are on. */
  readonly node: string;
  readonly signal?: AbortSignal | undefined;
}

/** What each program says once it watches. */
const readyWords: Readonly<Record<StorageProgram, string>> = {
  'csi-provisioner': 'Started provisioner controller',
  'csi-snapshotter': 'Starting CSI snapshotter',
  'snapshot-controller': 'Starting snapshot controller',
  'csi-resizer': 'Starting external resizer',
};

/** The programs want their kubeconfig as a flag, a companion finds it in its environment. */
const withKubeconfig = ['-c', 'exec "$@" --kubeconfig="$KUBECONFIG"', 'terrain'];

/**
 * Gives a cluster storage: classes for volumes and snapshots, the driver, and the programs that call it.
 *
 * Guarantees: returns when all of them work; each may do only what its role says, and the driver, which talks to no API, nothing.
 * Assumptions: the definitions of snapshots are installed.
 */
export async function startStorage(cluster: EmbeddedCluster, options: StorageOptions): Promise<void> {
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  await applyManifests(cluster.connection(), [...storageRights(), ...storageObjects({ isDefault: options.isDefault ?? true })], {
    fieldManager: 'terrain-embedded',
    ...signal,
  });
  const socket = join(cluster.home, 'csi.sock');
  await startCompanion(cluster, driverCompanion(cluster.home, socket, options), signal);
  await Promise.all(
    storagePrograms.map((program) => startCompanion(cluster, companionOf(program, socket, options.binaries), signal)),
  );
}

function driverCompanion(home: string, socket: string, { root, node, kubelet }: StorageOptions): ReadyCompanion {
  return {
    name: 'csi-driver',
    program: process.execPath,
    args: [
      fileURLToPath(new URL('../main.ts', import.meta.url)),
      `--root=${root ?? join(home, 'volumes')}`,
      `--socket=${socket}`,
      `--node=${node}`,
      ...(kubelet === undefined ? [] : [`--registration=${join(kubelet, 'plugins_registry', `${driverName}-reg.sock`)}`]),
    ],
    // Bound to no role: the driver asks nothing of the API.
    user: 'terrain:csi-driver',
    readyWords: 'storage driver ready',
  };
}

function companionOf(program: StorageProgram, socket: string, binaries: Binaries): ReadyCompanion {
  const address = program === 'snapshot-controller' ? [] : [`--csi-address=${socket}`];
  return {
    name: program,
    program: '/bin/sh',
    args: [...withKubeconfig, binaries.path(program), ...address, '--leader-election=false'],
    user: userOf(program),
    readyWords: readyWords[program],
  };
}
