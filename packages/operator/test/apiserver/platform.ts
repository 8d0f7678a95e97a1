/** The cluster that the suites of one process share, with the platform's kinds and Terrain on it. */
import { setTimeout } from 'node:timers/promises';
import { ledgerManifest, type VMDiskImage } from '@terrain/api';
import { aDataSync, aVirtualMachine, aVMDiskImage, installation } from '@terrain/api/testing';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import {
  ApiError,
  applyManifests,
  type Connection,
  type Credentials,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  Resource,
} from '@terrain/runtime';
import { custom, types } from './types.ts';

export const namespaceOfOperator = 'sync-operator';
const operatorUser = 'system:serviceaccount:sync-operator:terrain-operator';
const operatorGroups = ['system:serviceaccounts', 'system:serviceaccounts:sync-operator', 'system:authenticated'];

/** The real operator's user, with its rights and no others. */
export const operatorCredentials = (cluster: TestCluster): Credentials => cluster.credentialsOf(operatorUser, operatorGroups);

let prepared: Promise<TestCluster> | undefined;

/** The cluster of this process with everything installed. */
export function platform(): Promise<TestCluster> {
  prepared ??= testCluster({ controllerManager: true }).then(prepare);
  return prepared;
}

/** Installs what the platform and Terrain consist of. */
export async function prepare(cluster: TestCluster): Promise<TestCluster> {
  const connection = cluster.connection();
  await installDefinitions(connection, (await ensureUpstream()).definitions);
  await applyManifests(connection, installation() as KubeObject[], { fieldManager: 'test' });
  await new Resource(connection, types.configMaps).create(ledgerManifest()).catch(ignoreExisting);
  await untilAccepted(connection);
  return cluster;
}

/** Policies are in force, and know the kinds they are about, some time after they are stored. */
async function untilAccepted(connection: Connection): Promise<void> {
  const images = new Resource<VMDiskImage>(connection, types.images);
  const probe = (url: string): VMDiskImage => aVMDiskImage({ metadata: { name: 'probe', namespace: 'default' }, spec: { url } });
  const isRefused = (url: string): Promise<boolean | undefined> =>
    images.create(probe(url), { dryRun: true }).then(
      () => false,
      (error: unknown) => (error instanceof ApiError && error.code === 403 ? true : undefined),
    );
  // Each kind is learned on its own: the mutating policies answer 503 for one they do not know yet.
  const metadata = { name: 'probe', namespace: 'default' };
  const others = [aDataSync({ metadata }), aVirtualMachine({ metadata })] as KubeObject[];
  const areOthersKnown = async (): Promise<boolean> => {
    for (const other of others) {
      const resource = new Resource<KubeObject>(connection, custom('pelotech.ot', 'v1alpha1', `${other.kind.toLowerCase()}s`));
      if ((await resource.create(other, { dryRun: true }).catch(() => undefined)) === undefined) return false;
    }
    return true;
  };
  for (let tries = 0; tries < 600; tries++) {
    const areImagesJudged =
      (await isRefused('https://images.example.com/x')) === false && (await isRefused('http://localhost/x')) === true;
    if (areImagesJudged && (await areOthersKnown())) return;
    await setTimeout(100);
  }
  throw new Error('the policies were not in force after a minute');
}

function ignoreExisting(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
  return undefined;
}

export function ignoreAbsent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
