import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { annotations, sourceHash, type VirtualMachine, type VirtualMachineStatus } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { changeMachine } from '../src/cluster/machines.ts';
import { Lab } from './vm-lab.ts';

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const ready: VirtualMachineStatus = {
  observedGeneration: 1,
  phase: 'Ready',
  message: 'the machine runs',
  conditions: [condition('Ready', 'True', 'Ready')],
  rootDisk: 'web-1-root',
  kubevirt: { name: 'web', printableStatus: 'Running' },
};
const waiting: VirtualMachineStatus = { observedGeneration: 1, phase: 'Provisioning', message: 'image debian is queued' };
/** For the first answer of a busy API server to arrive in. */
const longEnough = '5s';

describe('terrain vm, on a real API server', { concurrency: 3 }, () => {
  let lab: Lab;
  before(async () => {
    lab = await Lab.open();
  });
  after(() => lab[Symbol.dispose]());

  test('list shows machines to people and to programs', async () => {
    using here = await Lab.open();
    assert.deepEqual(await here.run('list'), {
      code: 0,
      stdout: '',
      stderr: `There are no machines in namespace ${here.namespace}.\n`,
    });
    await here.add('web', { status: ready });
    await here.add('new');
    assert.match(
      (await here.run('list')).stdout,
      /^NAME +PHASE +STATE +ADDRESS +AGE +MESSAGE\nnew +- .*the operator has said nothing about it yet.*\nweb +Ready +Running .*the machine runs\n$/,
    );
    assert.match((await here.run('list', '-o', 'wide')).stdout, /ROOT DISK.*\n.*\n.* web-1-root /);
    assert.match((await here.run('list', '-A')).stdout, new RegExp(`^NAMESPACE .*\\n(.*\\n)*${here.namespace} +web +Ready`));
    const { items } = JSON.parse((await here.run('list', '-o', 'json')).stdout) as { items: VirtualMachine[] };
    assert.deepEqual(
      items.map(({ metadata, status }) => [metadata.name, status?.phase, Object.hasOwn(metadata, 'managedFields')]),
      [
        ['new', undefined, false],
        ['web', 'Ready', false],
      ],
    );
    assert.match((await here.run('list', '-o', 'yaml')).stdout, /^apiVersion: v1\nkind: List\nitems:\n/);
  });

  test('wait tells what the machine waits for, and ends with 0 when it is ready', async () => {
    await lab.add('wait-ready');
    const waits = lab.start('wait', 'wait-ready');
    await waits.printed('wait-ready: the operator has not seen it yet');
    await lab.report('wait-ready', waiting);
    await waits.printed('wait-ready: image debian is queued');
    await lab.report('wait-ready', ready);
    const { code, stdout, stderr } = await waits.finished;
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /wait-ready: ready\n$/);
  });

  test('wait fails with the words of the machine, of every one; late ones with exit code 3', async () => {
    await lab.add('wait-failed', { status: { observedGeneration: 1, phase: 'Failed', message: 'the name is taken' } });
    await lab.add('wait-late', { status: waiting });
    const failed = await lab.run('wait', 'wait-failed', 'wait-late', '--timeout', longEnough);
    assert.equal(failed.code, 1);
    assert.match(
      failed.stderr,
      /wait-failed: the name is taken\n.*wait-late is not ready after 5\.0 s: image debian is queued\n$/,
    );
    assert.equal((await lab.run('wait', 'wait-late', '--timeout', longEnough)).code, 3);
  });

  test('wait is not satisfied by a status from before the last change', async () => {
    await lab.add('wait-changed', { status: ready });
    await lab.run('stop', 'wait-changed');
    const { code, stderr } = await lab.run('wait', 'wait-changed', '--timeout', longEnough);
    assert.equal(code, 3);
    assert.match(stderr, /is not ready after 5\.0 s: the operator has not seen its latest change yet\n$/);
  });

  test('start and stop set powerState, say what follows, and nothing twice', async () => {
    await lab.add('power-a', { spec: { ignoreOnDeploy: true } });
    await lab.add('power-b');
    const started = await lab.run('start', 'power-a', 'power-b');
    assert.deepEqual([started.code, started.stderr], [0, '']);
    assert.match(
      started.stdout,
      /^Asked lab-\w+\/power-a to start; `terrain vm wait power-a -n lab-\w+` follows it\.\nAsked .*power-b/,
    );
    assert.equal((await lab.get('power-a')).spec.powerState, 'Running');
    const { generation } = (await lab.get('power-a')).metadata;
    assert.match((await lab.run('start', 'power-a')).stdout, /power-a is asked to be running already\.\n$/);
    assert.equal((await lab.get('power-a')).metadata.generation, generation);
    assert.equal((await lab.run('stop', 'power-a')).code, 0);
    assert.equal((await lab.get('power-a')).spec.powerState, 'Stopped');
  });

  test('a paused machine is changed, with a word that nothing happens', async () => {
    await lab.add('paused', { metadata: { annotations: { [annotations.paused]: 'true' } } });
    const { code, stderr } = await lab.run('stop', 'paused');
    assert.equal(code, 0);
    assert.match(stderr, /paused: it is paused: nothing happens until the annotation pelotech\.ot\/paused is removed\.\n$/);
  });

  test('reset tells what is lost and asks; where nobody can be asked it wants --yes', async () => {
    await lab.addImage({
      phase: 'Succeeded',
      artifact: {
        volumeSnapshot: 'snap-2',
        dataVolume: 'd',
        sourceHash: sourceHash(aVMDiskImage().spec),
        syncedAt: '2026-01-01T00:00:00Z',
      },
    });
    await lab.add('again', { status: ready });
    const plan =
      /^Everything on the root disk web-1-root of lab-\w+\/again is lost, for good\.\nA new disk is cloned from snapshot snap-2 of image lab-\w+\/debian, /;
    const unasked = await lab.run('reset', 'again');
    assert.deepEqual([unasked.code, unasked.stdout], [2, '']);
    assert.match(unasked.stderr, plan);
    assert.match(unasked.stderr, /terrain: nobody can be asked here: give --yes /);
    const looked = await lab.run('reset', 'again', '--dry-run');
    assert.equal(looked.code, 0);
    assert.match(looked.stderr, plan);
    assert.equal((await lab.get('again')).spec.resetToken, undefined);
    const done = await lab.run('reset', 'again', '--yes');
    assert.equal(done.code, 0);
    assert.match(done.stderr, plan);
    assert.match(done.stdout, /^Asked for a fresh disk of lab-\w+\/again; /);
    const { resetToken } = (await lab.get('again')).spec;
    assert.ok(Date.parse(resetToken ?? '') > 0);
    assert.equal((await lab.run('reset', 'again', '--yes')).code, 0);
    assert.notEqual((await lab.get('again')).spec.resetToken, resetToken);
  });

  test('console-info tells how to get in, and keeps every password to itself', async () => {
    const canary = 'canary-7Hq';
    const users = [{ name: 'ann', plain_text_passwd: canary, lock_passwd: false }];
    await lab.add('door', { spec: { users }, status: { ...ready, kubevirt: { name: 'door', printableStatus: 'Running' } } });
    const { code, stdout, stderr } = await lab.run('console-info', 'door');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Machine {2}lab-\w+\/door, Running\nConsole {2}virtctl console door -n lab-\w+\n/);
    assert.match(stdout, /^ann +- +in the spec of the machine$/m);
    const json = (await lab.run('console-info', 'door', '-o', 'json')).stdout;
    assert.deepEqual((JSON.parse(json) as { console: unknown }).console, { canOpen: true });
    assert.ok(!`${stdout}${json}`.includes(canary));
  });

  test('a name that is not there, and one that is going, are told in one sentence each', async () => {
    for (const command of ['wait', 'start', 'stop', 'reset', 'console-info']) {
      assert.deepEqual(await lab.run(command, 'nobody'), {
        code: 1,
        stdout: '',
        stderr: `terrain: there is no machine ${lab.namespace}/nobody; \`terrain vm list -A\` shows those there are.\n`,
      });
    }
    await lab.add('going', { metadata: { finalizers: ['example.com/hold'] } });
    await lab.machines.delete({ name: 'going', namespace: lab.namespace });
    assert.match((await lab.run('start', 'going')).stderr, /^terrain: .*\/going is being deleted: it cannot start any more\.\n$/);
    assert.match((await lab.run('reset', 'going', '--yes')).stderr, /^terrain: .*\/going is being deleted\.\n$/);
    assert.match((await lab.run('wait', 'going')).stderr, /\/going: it is being deleted\n$/);
    await lab.machines.mergePatch({ name: 'going', namespace: lab.namespace }, { metadata: { finalizers: null } });
  });

  test('a machine that was made again under the name is not the one that was looked at', async () => {
    const former = await lab.add('twice');
    await lab.machines.delete({ name: 'twice', namespace: lab.namespace });
    await lab.add('twice');
    await assert.rejects(changeMachine(lab.cluster.connection(), former, { resetToken: 'x' }), {
      name: 'CommandError',
      message: `${lab.namespace}/twice was deleted and made again meanwhile; nothing was changed.`,
    });
    assert.equal((await lab.get('twice')).spec.resetToken, undefined);
  });

  test('everybody acts with their own rights: a viewer looks, an outsider does not', async () => {
    await lab.add('rights', { status: ready });
    const viewed = await lab.runAs('terrain-viewer', 'list');
    assert.equal(viewed.code, 0);
    assert.match(viewed.stdout, /^rights +Ready/m);
    for (const args of [['start'], ['stop'], ['reset', '--yes']] as const) {
      const { code, stdout, stderr } = await lab.runAs('terrain-viewer', ...args, 'rights');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /terrain: not allowed: virtualmachines\.pelotech\.ot "rights" is forbidden: User "person-\w+" cannot patch resource "virtualmachines"/,
      );
    }
    assert.deepEqual((await lab.get('rights')).metadata.generation, 1);
    const door = await lab.runAs('terrain-viewer', 'console-info', 'rights');
    assert.match(door.stdout, /^Console {2}not now: you may not: it needs the right to get virtualmachineinstances\/console/m);
    for (const args of [['list'], ['wait', 'rights'], ['console-info', 'rights']]) {
      const { code, stderr } = await lab.runAs('none', ...args);
      assert.equal(code, 1);
      assert.match(stderr, /^terrain: not allowed: virtualmachines\.pelotech\.ot .*is forbidden: User "person-\w+" cannot /);
    }
    assert.equal((await lab.runAs('terrain-admin', 'stop', 'rights')).code, 0);
  });
});
