import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { crdOf, isUnseen, kinds, ledgerManifest, operatorIdentity, operatorRole, type VMDiskImage } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { instantScenario, newTestCluster, startSimulator, type TestCluster } from '@terrain/embedded/testing';
import { createOperator } from '@terrain/operator';
import { applyManifests, type KubeObject, Resource, silentLogger } from '@terrain/runtime';
import { namespaceOfOperator, operatorCredentials, prepare } from '../apiserver/platform.ts';
import { types } from '../apiserver/types.ts';

describe('a cluster without CDI and snapshots', () => {
  // A cluster of its own: on the shared one they are installed.
  let cluster: TestCluster;
  before(async () => {
    cluster = await newTestCluster({ controllerManager: true });
  });
  after(() => cluster.stop());

  test('an image says what is missing, takes no slot, and goes on by itself when it is installed', async () => {
    const connection = cluster.connection();
    const manifests = [...kinds.map(crdOf), ...operatorIdentity(), ...operatorRole()] as KubeObject[];
    await applyManifests(connection, manifests, { fieldManager: 'test' });
    await new Resource<KubeObject>(connection, types.configMaps).create(ledgerManifest());
    const operator = createOperator({
      credentials: operatorCredentials(cluster),
      namespace: namespaceOfOperator,
      hasLeaderElection: false,
      log: silentLogger,
    });
    const stop = new AbortController();
    const running = operator.run(stop.signal);
    running.catch(() => undefined);
    try {
      await operator.keeper.ready;
      const images = new Resource<VMDiskImage>(connection, types.images);
      const at = { name: 'debian', namespace: await cluster.namespace('images') };
      await images.create(aVMDiskImage({ metadata: at, spec: { diskSize: '1Gi' } }));
      const until = async (isMet: (image: VMDiskImage) => boolean): Promise<VMDiskImage> => {
        for (let tries = 0; tries < 1200; tries++) {
          const image = await images.get(at);
          if (isMet(image)) return image;
          await pass(100);
        }
        return assert.fail(`after two minutes its status is ${JSON.stringify((await images.get(at)).status)}`);
      };
      const waiting = await until((image) => !isUnseen(image));
      assert.match(
        waiting.status?.message ?? '',
        /CDI is not installed in this cluster.*install it, and the image goes on by itself/,
      );
      assert.deepEqual([operator.keeper.ledger?.entries.size, waiting.status?.attempt], [0, undefined]);
      await prepare(cluster);
      await using _ = await startSimulator({ connection, scenario: instantScenario });
      const synced = await until(({ status }) => status?.phase === 'Succeeded');
      assert.equal(synced.status?.attempt?.number, 1);
    } finally {
      stop.abort();
      await running.catch(() => undefined);
    }
  });
});
