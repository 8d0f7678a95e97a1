import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerManifest, operatorIdentity, type VirtualMachine } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { defaultScenario, newTestCluster, startSimulator } from '@terrain/embedded/testing';
import { createOperator } from '@terrain/operator';
import { applyManifests, type KubeObject, silentLogger } from '@terrain/runtime';
import { Lab } from './vm-lab.ts';

test('a machine from nothing to running, stopped, started and reset, with the operator and the simulator at work', async () => {
  const cluster = await newTestCluster({ controllerManager: true });
  using lab = await Lab.open(cluster);
  const { namespace } = lab;
  const connection = cluster.connection();
  await installDefinitions(connection, (await ensureUpstream()).definitions);
  await applyManifests(connection, operatorIdentity() as KubeObject[], { fieldManager: 'test' });
  await applyManifests(connection, [ledgerManifest() as KubeObject], { fieldManager: 'test' });
  await using _simulator = await startSimulator({ connection, scenario: { ...defaultScenario, speed: 20 } });
  const stop = new AbortController();
  const operator = createOperator({
    credentials: cluster.credentials,
    namespace: 'sync-operator',
    hasLeaderElection: false,
    log: silentLogger,
  });
  const ended = operator.run(stop.signal);
  try {
    await lab.images.create(aVMDiskImage({ metadata: { name: 'debian', namespace } }));
    await lab.add('web', { spec: { users: [{ name: 'ann', plain_text_passwd: 'canary-7Hq', lock_passwd: false }] } });
    const follow = async (): Promise<VirtualMachine> => {
      const { code, stderr } = await lab.run('wait', 'web', '--timeout', '3m');
      assert.equal(code, 0, stderr);
      assert.ok(!stderr.includes('canary-7Hq'));
      return lab.get('web');
    };
    const first = await follow();
    assert.match((await lab.run('list')).stdout, /^web +Ready +Running /m);
    assert.match((await lab.run('console-info', 'web')).stdout, /^Console {2}virtctl console web -n /m);

    await lab.run('stop', 'web');
    assert.equal((await follow()).status?.kubevirt?.printableStatus, 'Stopped');
    assert.match(
      (await lab.run('console-info', 'web')).stdout,
      /not now: its spec keeps the machine stopped; `terrain vm start web /,
    );
    await lab.run('start', 'web');
    assert.equal((await follow()).status?.rootDisk, first.status?.rootDisk, 'a stop keeps the disk');

    assert.match(
      (await lab.run('reset', 'web', '--yes')).stderr,
      /A new disk is cloned from snapshot \S+ of image \S+\/debian, synced /,
    );
    const fresh = await follow();
    assert.equal(fresh.status?.kubevirt?.printableStatus, 'Running');
    assert.notEqual(fresh.status?.rootDisk, first.status?.rootDisk);
    assert.equal(fresh.metadata.uid, first.metadata.uid);
  } finally {
    stop.abort();
    await ended;
  }
});
