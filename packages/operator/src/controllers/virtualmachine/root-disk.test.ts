import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootDiskName } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { machineType } from '#controllers/shared/kind.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { type Claim, claimType } from '#platform/core.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { lab, MachineRig } from '#testing/machine-rig.ts';

test('an operator that has not heard of a reset yet leaves the new disk alone', async () => {
  await using rig = await MachineRig.start({ plan: { rules: [] } });
  await rig.create('web');
  await rig.reason('web', 'Ready');
  const old = rig.only<DataVolume>(dataVolumeType);
  await rig.settled();
  const match = { group: 'pelotech.ot', resource: 'virtualmachines' };
  rig.follow({ rules: [{ on: 'event', match, do: { fault: 'hold', gate: 'news' } }] });
  await rig.change('web', { resetToken: 'b' });
  const { metadata } = rig.machine('web') ?? assert.fail('there is no machine');
  const name = rootDiskName({ name: 'web', uid: metadata.uid ?? '', resetToken: 'b' });
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...same } = old.metadata;
  rig.clones = false;
  const made = rig.fake.seed({ ...old, metadata: { ...same, name } } as never);
  const before = rig.requests('web').length;
  await rig.until('a look', () => rig.requests('web').length > before);
  rig.openGate('news');
  await rig.until('the old disk to go', () =>
    rig.objects(dataVolumeType).every((disk) => disk.metadata.uid !== old.metadata.uid),
  );
  assert.equal(rig.only(dataVolumeType).metadata.uid, made.metadata.uid);
  const { status } = await rig.reason('web', 'Ready');
  assert.equal(status?.rootDisk, name);
});

test('a clone is not thrown away because a cache does not show its snapshot', async () => {
  await using rig = await MachineRig.start();
  rig.clones = false;
  await rig.create('web');
  await rig.until('disk', () => rig.objects(dataVolumeType).length === 1);
  const { metadata } = rig.only(dataVolumeType);
  await rig.resource(volumeSnapshotType).mergePatch({ name: 'cut-1', namespace: 'vmdi-farm' }, { metadata: { labels: null } });
  await rig.resource(machineType).mergePatch({ name: 'web', namespace: lab }, { metadata: { annotations: { a: 'b' } } });
  await rig.until('a look', () => rig.requests('cut-1').length > 0);
  rig.clones = true;
  await rig.reason('web', 'Ready');
  assert.equal(rig.only(dataVolumeType).metadata.uid, metadata.uid);
  assert.deepEqual(
    rig.requests(metadata.name ?? '').filter((request) => request.startsWith('delete')),
    [],
  );
});

test('a root disk says what it was cloned from, also when the reference has moved on', async () => {
  await using rig = await MachineRig.start();
  await rig.create('web');
  await rig.reason('web', 'Ready');
  await rig.change('web', { vmDiskImageRef: { name: 'fedora' } });
  const moved = await rig.reason('web', 'Ready');
  const [image] = moved.status?.conditions ?? [];
  assert.deepEqual([image?.reason, moved.status?.diskImage?.volumeSnapshot], ['ImageGone', 'cut-1']);
  rig.fake.seed(aVMDiskImage({ metadata: { name: 'fedora', namespace: 'vmdi-farm' } }) as never);
  await rig.until('word of its disk', () => {
    const [found] = rig.machine('web')?.status?.conditions ?? [];
    return found?.message === 'the root disk was cloned from VolumeSnapshot vmdi-farm/cut-1';
  });
});

test('a raised diskSize grows the volume of a disk that exists, and is told until it has', async () => {
  await using rig = await MachineRig.start();
  await rig.create('web');
  await rig.reason('web', 'Ready');
  await rig.change('web', { resources: { diskSize: '20Gi' } });
  await rig.until('a larger claim', () => rig.only<Claim>(claimType).spec?.resources?.requests?.storage === '21474836480');
  const told = await rig.reason('web', 'Ready');
  assert.match(
    told.status?.message ?? '',
    /^the machine runs; root disk \S+ has 11Gi, and resources.diskSize asks for 20Gi: its volume/,
  );
  const condition = told.status?.conditions?.find(({ type }) => type === 'RootDiskReady');
  assert.deepEqual([condition?.status, condition?.reason], ['True', 'ExpansionPending']);
  const { name = '' } = rig.only(claimType).metadata;
  await rig.say(claimType, lab, name, { status: { capacity: { storage: '20Gi' } } });
  await rig.until('the end of it', () => rig.machine('web')?.status?.message === 'the machine runs');
  const writes = rig.requests(name).filter((request) => request === 'patch persistentvolumeclaims');
  assert.equal(writes.length, 1);
});

test('a claim that may not grow is no failure, and the refusal is told', async () => {
  const message = 'persistentvolumeclaims "x" is forbidden: exceeded quota: tight, requested: requests.storage=9Gi';
  await using rig = await MachineRig.start({
    admit: ({ verb, kind, subresource }) =>
      verb === 'update' && kind.kind === 'PersistentVolumeClaim' && subresource === undefined
        ? { code: 403, reason: 'Forbidden', message }
        : undefined,
  });
  await rig.create('web');
  await rig.reason('web', 'Ready');
  await rig.change('web', { resources: { diskSize: '20Gi' } });
  await rig.until('word of it', () => rig.machine('web')?.status?.message?.includes('exceeded quota: tight'));
  assert.equal(rig.machine('web')?.status?.phase, 'Ready');
});

test('a clone that fails is told of and made again; a disk with a machine on it is kept, whatever is said of it', async () => {
  await using rig = await MachineRig.start();
  rig.clones = false;
  await rig.create('web');
  await rig.until('disk', () => rig.objects(dataVolumeType).length === 1);
  const first = rig.only(dataVolumeType).metadata;
  const fault = { type: 'Running', status: 'False', reason: 'Error', message: 'unable to attach the source' };
  const fail = (name = ''): Promise<unknown> =>
    rig.say(dataVolumeType, lab, name, { status: { phase: 'Failed', conditions: [fault] } });
  await fail(first.name);
  const troubled = await rig.reason('web', 'CloneFailed');
  assert.match(troubled.status?.message ?? '', /could not be cloned: unable to attach the source; it is tried again/);
  assert.equal(troubled.status?.phase, 'Provisioning');
  await rig.until('another', () => {
    const [disk] = rig.objects(dataVolumeType);
    return disk !== undefined && disk.metadata.uid !== first.uid;
  });
  rig.clones = true;
  await rig.reason('web', 'Ready');
  const { name = '', uid } = rig.only(dataVolumeType).metadata;
  await fail(name);
  const lost = await rig.reason('web', 'RootDiskLost');
  assert.deepEqual([lost.status?.phase, lost.status?.rootDisk], ['Failed', name]);
  await rig.say(dataVolumeType, lab, name, { status: { phase: 'Succeeded', conditions: [] } });
  await rig.reason('web', 'Ready');
  assert.equal(rig.only(dataVolumeType).metadata.uid, uid);
});
