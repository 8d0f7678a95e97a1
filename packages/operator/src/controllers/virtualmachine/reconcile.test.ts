import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordSecretName } from '@terrain/api';
import { machineType } from '#controllers/shared/kind.ts';
import { dataVolumeType } from '#platform/cdi.ts';
import { type Secret, secretType } from '#platform/core.ts';
import { kubevirtMachineType } from '#platform/kubevirt.ts';
import { quotaType } from '#platform/quota.ts';
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

test('every password that is missing is named, also where one Secret lacks several', async () => {
  await using rig = await MachineRig.start();
  const from = (name: string) => ({ name, passwordSecretRef: { name: 'keys', key: name } });
  await rig.create('web', { users: [from('ada'), from('bob')] });
  const { status } = await rig.reason('web', 'SecretMissing');
  assert.equal(
    status?.message,
    'there is no key ada in Secret keys for user ada, no key bob in Secret keys for user bob; create it, and the machine goes on by itself',
  );
});

test('no guest gets what the operator keeps beside its machine: not as a password either', async () => {
  await using rig = await MachineRig.start();
  const labels = { 'app.kubernetes.io/managed-by': 'terrain', 'pelotech.ot/workspace': 'demo' };
  const data = { key: Buffer.from('of somebody else').toString('base64') };
  for (const name of ['registry-pull', passwordSecretName('web')])
    rig.fake.seed({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: lab, labels }, data } as never);
  const from = (name: string) => ({ name: 'ada', passwordSecretRef: { name, key: 'key' } });
  await rig.create('db', { users: [from('registry-pull')] });
  const { status } = await rig.reason('db', 'SecretMissing');
  assert.equal(
    status?.message,
    "Secret registry-pull is the operator's own, and user ada gets no password from it; let passwordSecretRef name a Secret of yours",
  );
  assert.deepEqual(
    rig.objects<Secret>(secretType).filter(({ data: held }) => atob(held?.userdata ?? '').includes('of somebody else')),
    [],
  );
  await rig.create('web', { users: [from(passwordSecretName('web'))] });
  await rig.reason('web', 'Ready');
});
