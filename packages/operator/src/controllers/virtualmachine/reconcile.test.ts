import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootDiskName } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { machineType } from '#controllers/shared/kind.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { type Claim, claimType, type Secret, secretType } from '#platform/core.ts';
import { kubevirtMachineType } from '#platform/kubevirt.ts';
import { quotaType } from '#platform/quota.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { lab, MachineRig } from '#testing/machine-rig.ts';

test('labels somebody removes are put back, and nothing is made twice', async () => {
  await using rig = await MachineRig.start();
  await rig.create('web');
  const { status } = await rig.reason('web', 'Ready');
  for (const type of [dataVolumeType, secretType, kubevirtMachineType]) {
    const { metadata } = rig.only(type);
    await rig.resource(type).mergePatch({ name: metadata.name ?? '', namespace: lab }, { metadata: { labels: null } });
    await rig.until(`labels of ${type.plural}`, () => rig.only(type).metadata.labels?.['pelotech.ot/virtualmachine'] === 'web');
    assert.equal(rig.only(type).metadata.uid, metadata.uid);
  }
  const after = await rig.reason('web', 'Ready');
  assert.equal(after.status?.rootDisk, status?.rootDisk);
});

test('a key somebody adds to the Secret stays, and costs nothing', async () => {
  await using rig = await MachineRig.start();
  await rig.create('web');
  await rig.reason('web', 'Ready');
  const { metadata, data } = rig.only<Secret>(secretType);
  await rig.resource(secretType).mergePatch({ name: metadata.name ?? '', namespace: lab }, { data: { note: 'eA==' } });
  await rig.settled();
  const before = rig.requests('web');
  await rig.resource(machineType).mergePatch({ name: 'web', namespace: lab }, { metadata: { annotations: { a: 'b' } } });
  await rig.settled();
  assert.deepEqual(rig.only<Secret>(secretType).data, { ...data, note: 'eA==' });
  assert.deepEqual(rig.requests('web'), before);
});

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

test('a machine made again under its name waits for what its predecessor left behind', async () => {
  await using rig = await MachineRig.start();
  await rig.create('web');
  await rig.reason('web', 'Ready');
  const before = rig.only(kubevirtMachineType).metadata.uid;
  // Torn out, with its child held by somebody.
  await rig
    .resource(kubevirtMachineType)
    .mergePatch({ name: 'web', namespace: lab }, { metadata: { finalizers: ['example.com/held'] } });
  await rig.resource(machineType).mergePatch({ name: 'web', namespace: lab }, { metadata: { finalizers: null } });
  await rig.resource(machineType).delete({ name: 'web', namespace: lab });
  await rig.create('web');
  const failed = await rig.reason('web', 'NameTaken');
  assert.match(failed.status?.message ?? '', /^KubeVirt's VirtualMachine web exists already and is not of this machine/);
  await rig.resource(kubevirtMachineType).mergePatch({ name: 'web', namespace: lab }, { metadata: { finalizers: null } });
  await rig.reason('web', 'Ready');
  assert.notEqual(rig.only(kubevirtMachineType).metadata.uid, before);
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

test('a name of 63 characters: every child has a legal one, and all of them go with it', async () => {
  await using rig = await MachineRig.start();
  const name = `${'a'.repeat(31)}-${'b'.repeat(31)}`;
  await rig.create(name, { vmDiskImageTemplate: { sourceType: 'blank', diskSize: '1Gi' } });
  await rig.reason(name, 'Ready');
  const children = [dataVolumeType, secretType, kubevirtMachineType];
  for (const type of children) {
    const { metadata } = rig.only(type);
    const texts = [metadata.name, ...Object.values(metadata.labels ?? {})];
    for (const text of texts) assert.match(text ?? '', /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
  }
  await rig.resource(machineType).delete({ name, namespace: lab });
  await rig.until('end', () => rig.machine(name) === undefined);
  for (const type of children) assert.deepEqual(rig.objects(type), []);
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

test('what a quota refused is made as soon as there is room', async () => {
  const message = 'secrets "web-cloudinit" is forbidden: exceeded quota: tight, requested: count/secrets=1';
  let isFull = true;
  await using rig = await MachineRig.start({
    // Nothing is tried again in less than a minute without being woken.
    haste: 1,
    admit: ({ verb, kind }) =>
      isFull && verb === 'create' && kind.kind === 'Secret' ? { code: 403, reason: 'Forbidden', message } : undefined,
  });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'tight', namespace: lab } };
  rig.fake.seed({ ...quota, spec: { hard: { 'count/secrets': '1' } } } as never);
  await rig.create('web');
  await rig.reason('web', 'QuotaExceeded');
  isFull = false;
  await rig.resource(quotaType).mergePatch({ name: 'tight', namespace: lab }, { spec: { hard: { 'count/secrets': '2' } } });
  await rig.reason('web', 'Ready');
});

test('a name that was taken is used as soon as it is free', async () => {
  await using rig = await MachineRig.start({ haste: 1 });
  const foreign = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'web', namespace: lab } };
  rig.fake.seed({ ...foreign, spec: { runStrategy: 'Halted' } } as never);
  rig.fake.seed({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web-cloudinit', namespace: lab } } as never);
  await rig.create('web');
  await rig.until('word of the Secret', () => rig.machine('web')?.status?.message?.startsWith('Secret web-cloudinit exists'));
  await rig.resource(secretType).delete({ name: 'web-cloudinit', namespace: lab });
  await rig.until('word of the machine', () => rig.machine('web')?.status?.message?.startsWith("KubeVirt's VirtualMachine web"));
  await rig.resource(kubevirtMachineType).delete({ name: 'web', namespace: lab });
  await rig.reason('web', 'Ready');
  await rig.until('end of its watches', () => rig.fake.openWatches(secretType) + rig.fake.openWatches(kubevirtMachineType) === 2);
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

test('a Secret somebody made immutable is made anew when it has to change', async () => {
  await using rig = await MachineRig.start({
    admit: ({ verb, kind, previous }) =>
      verb === 'update' && kind.kind === 'Secret' && (previous as { immutable?: boolean } | undefined)?.immutable === true
        ? { code: 422, reason: 'Invalid', message: 'data: Forbidden: field is immutable when `immutable` is set' }
        : undefined,
  });
  await rig.create('web');
  await rig.reason('web', 'Ready');
  const { name = '', uid } = rig.only(secretType).metadata;
  await rig.resource(secretType).mergePatch({ name, namespace: lab }, { immutable: true });
  await rig.change('web', { users: [{ name: 'ada' }] });
  await rig.until('another Secret', () => {
    const [secret] = rig.objects<Secret>(secretType);
    return secret !== undefined && secret.metadata.uid !== uid && atob(secret.data?.userdata ?? '').includes('ada');
  });
  await rig.reason('web', 'Ready');
});
