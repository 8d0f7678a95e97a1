import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import { defaultScenario } from '@terrain/embedded/testing';
import { ApiError } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { changeSpec, childOf, conditionOf, createMachine, machine, phase, reason, remove, until } from './vm-world.ts';

const template = (sim?: string): VMDiskImage['spec'] => ({
  sourceType: 'http',
  url: `https://images.example.com/made.qcow2${sim === undefined ? '' : `?sim=${sim}`}`,
  diskSize: '1Gi',
});

test('a missing image: waited for without a template, made with one; given up, the machine says so and heals', async () => {
  await using stage = await Stage.open({ policy: { retryLimit: '0' } });
  await stage.startOperator();
  await createMachine(stage, 'patient');
  await createMachine(stage, 'made', { vmDiskImageRef: { name: 'made', namespace: '' }, vmDiskImageTemplate: template() });
  await createMachine(stage, 'broken', {
    vmDiskImageRef: { name: 'broken', namespace: '' },
    vmDiskImageTemplate: template('http:404'),
  });
  await createMachine(stage, 'homeless', { vmDiskImageRef: { name: 'x', namespace: 'no-such-place' } });

  const patient = await reason(stage, 'patient', 'DiskImageMissing');
  assert.equal(patient.status?.phase, 'Provisioning');
  assert.match(
    patient.status?.message ?? '',
    /debian does not exist; create it, correct vmDiskImageRef, or add a vmDiskImageTemplate/,
  );
  await stage.createImage('debian');
  await phase(stage, 'patient', 'Ready');

  await phase(stage, 'made', 'Ready');
  const broken = await phase(stage, 'broken', 'Failed');
  assert.deepEqual([conditionOf(broken, 'Ready')?.reason, conditionOf(broken, 'Stalled')?.status], ['DiskImageFailed', 'True']);
  assert.equal(broken.status?.rootDisk, undefined);
  await stage.changeSpec('broken', { url: 'https://images.example.com/whole.qcow2' });
  await phase(stage, 'broken', 'Ready');

  const homeless = await reason(stage, 'homeless', 'DiskImageMissing');
  assert.match(homeless.status?.message ?? '', /no-such-place\/x does not exist, because its namespace does not/);
  await remove(stage, types.machines, 'homeless');
  await stage.until('it to be gone', () => machine(stage, 'homeless') === undefined);
});

test('no machine without its data: while the image is downloaded nothing is cloned, and nothing started', async () => {
  const durations = { ...defaultScenario.durations, import: 4000, boot: 20, agent: 20, clone: 20 };
  await using stage = await Stage.open({ scenario: { durations } });
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  const waiting = await reason(stage, 'web', 'DiskImageNotReady');
  assert.match(waiting.status?.message ?? '', /^waits for VMDiskImage .+\/debian, which is (Queued|Syncing): /);
  assert.deepEqual(
    [childOf(stage, types.dataVolumes, waiting), childOf(stage, types.kubevirtMachines, waiting)],
    [undefined, undefined],
  );
  await phase(stage, 'web', 'Ready');
});

test('an image with machines on it cannot be deleted; a machine that moves to another one lets it go', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.createImage('other');
  await createMachine(stage, 'web');
  const web = await phase(stage, 'web', 'Ready');
  const refused = (name: string): Promise<void> =>
    assert.rejects(
      remove(stage, types.images, name),
      (error) =>
        error instanceof ApiError &&
        error.code === 403 &&
        error.message.includes(`in use by 1 virtual machine (${stage.namespace}/web)`),
    );
  await refused('debian');
  await changeSpec(stage, 'web', { vmDiskImageRef: { name: 'other' } });
  await stage.until('the other image to count it', () => stage.image('other')?.status?.references === 1);
  await stage.until('the first image to be free', () => stage.image('debian')?.status?.references === 0);
  await refused('other');
  await remove(stage, types.images, 'debian');
  await stage.until('it to be gone', () => stage.image('debian') === undefined);
  const moved = await until(stage, 'web', 'name the other', ({ status }) => status?.diskImage?.name === 'other');
  assert.deepEqual(
    [moved.status?.phase, moved.status?.rootDisk],
    ['Ready', web.status?.rootDisk],
    'its disk holds somebody’s work',
  );
});

test('an update that is given up: new machines use the last good download and say so; existing disks stay', async () => {
  await using stage = await Stage.open({ policy: { retryLimit: '0' } });
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'first');
  const first = await phase(stage, 'first', 'Ready');
  await stage.changeSpec('debian', { url: 'https://images.example.com/newer.qcow2?sim=http:404' });
  await stage.phase('debian', 'Failed');
  await createMachine(stage, 'second');
  const second = await phase(stage, 'second', 'Ready');
  assert.deepEqual(
    [conditionOf(second, 'DiskImageReady')?.status, conditionOf(second, 'DiskImageReady')?.reason],
    ['True', 'OldArtifact'],
  );
  assert.equal(second.status?.diskImage?.volumeSnapshot, first.status?.diskImage?.volumeSnapshot);
  assert.equal(machine(stage, 'first')?.status?.rootDisk, first.status?.rootDisk);
});

test('a reset: a new disk from the current download, after the old machine and disk are gone, and only when asked for', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  const before = await phase(stage, 'web', 'Ready');
  const old = childOf(stage, types.dataVolumes, before)?.metadata.uid;
  await stage.changeSpec('debian', { url: 'https://images.example.com/newer.qcow2' });
  const updated = await stage.until('the update', () => {
    const image = stage.image('debian');
    const { artifact } = image?.status ?? {};
    return image?.status?.phase === 'Succeeded' && artifact?.url?.includes('newer') === true ? artifact : undefined;
  });
  assert.equal(machine(stage, 'web')?.status?.rootDisk, before.status?.rootDisk, 'an update touches no disk');
  await changeSpec(stage, 'web', { resetToken: 'again' });
  const after = await until(
    stage,
    'web',
    'have a new disk',
    ({ status }) => status?.phase === 'Ready' && status.rootDisk !== before.status?.rootDisk,
  );
  assert.equal(after.status?.diskImage?.volumeSnapshot, updated.volumeSnapshot);
  await stage.until('the old disk to be gone', () =>
    stage.things(types.dataVolumes).every(({ metadata }) => metadata.uid !== old),
  );
  const disks = stage.things(types.dataVolumes).filter((disk) => disk.metadata.labels?.['pelotech.ot/virtualmachine'] === 'web');
  assert.equal(disks.length, 1);
});

test('two hundred machines on one image made from their template: one download', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  const names = Array.from({ length: 200 }, (_, index) => `m${index}`);
  const spec = { vmDiskImageRef: { name: 'made', namespace: '' }, vmDiskImageTemplate: template(), ignoreOnDeploy: true };
  for (let at = 0; at < names.length; at += 20)
    await Promise.all(names.slice(at, at + 20).map((name) => createMachine(stage, name, spec)));
  await stage.until('all to be Ready', () => names.every((name) => machine(stage, name)?.status?.phase === 'Ready'));
  const downloads = stage.things(types.dataVolumes).filter(({ spec }) => 'http' in ((spec?.source ?? {}) as object));
  assert.equal(downloads.length, 1);
  assert.equal(stage.image('made')?.status?.attempt?.number, 1);
  await stage.until('all to be counted', () => stage.image('made')?.status?.references === 200);
});
