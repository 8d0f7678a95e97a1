import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantScenario, startSimulator } from '@terrain/embedded/testing';
import type { ResourceType } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { changeSpec, childOf, createMachine, phase, reason } from './vm-world.ts';

const volumes: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumes', namespaced: false };

/** As a backup would bring it back: the same volume for the same claim. */
const restored = ({ metadata, ...rest }: Thing): Thing => ({
  ...rest,
  metadata: { name: metadata.name ?? '', labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} },
});

test('a data volume error: a machine whose volume is lost says so, throws nothing away, and runs when the volume is back', async () => {
  await using simulators = new AsyncDisposableStack();
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'bereft', { ignoreOnDeploy: true });
  const before = await phase(stage, 'bereft', 'Ready');
  const disk = before.status?.rootDisk ?? '';
  const claim = (): Thing | undefined => stage.things(types.claims).find(({ metadata }) => metadata.name === disk);
  const uids = () => [claim()?.metadata.uid, childOf(stage, types.dataVolumes, before)?.metadata.uid];
  const whole = uids();
  const name = String(claim()?.spec?.volumeName);
  const volume = await stage.resource(volumes).get({ name });

  // The storage driver of the simulator would make the volume again before anybody noticed.
  await stage.simulator.stop();
  await stage.resource(volumes).delete({ name });
  await stage.resource(volumes).mergePatch({ name }, { metadata: { finalizers: null } });
  await stage.until('the claim to be Lost', () => claim()?.status?.phase === 'Lost');
  simulators.use(await startSimulator({ connection: stage.cluster.connection(), scenario: instantScenario }));

  const lost = await reason(stage, 'bereft', 'RootDiskLost');
  assert.equal(lost.status?.phase, 'Failed');
  assert.match(lost.status?.message ?? '', /has lost its volume: Claim Lost; restore the volume, or change resetToken/);
  await stage.until(
    'KubeVirt to call it a DataVolumeError',
    () => childOf(stage, types.kubevirtMachines, before)?.status?.printableStatus === 'DataVolumeError',
  );
  assert.deepEqual(uids(), whole);

  await stage.resource(volumes).create(restored(volume));
  await changeSpec(stage, 'bereft', { powerState: 'Running' });
  const again = await phase(stage, 'bereft', 'Ready');
  assert.equal(again.status?.message, 'the machine runs');
  assert.deepEqual(uids(), whole);
});
