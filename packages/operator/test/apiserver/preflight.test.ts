import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from './stage.ts';
import { types } from './types.ts';

const storageClasses = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', namespaced: false };
const keys = { accessKeyId: 'QUtJQQ==', secretKey: 'c2VjcmV0' };

test('what is missing is waited for without a slot, and the image goes on by itself when it comes', async (t) => {
  await using stage = await Stage.open();
  const proxy = await stage.proxy({
    rules: [
      {
        on: 'request',
        match: { verb: 'get', resource: 'secrets', name: 'sealed' },
        do: { fault: 'answer', code: 500, reason: 'InternalError', message: 'Internal error occurred: no key to decipher it' },
      },
    ],
  });
  const operator = await stage.startOperator({ through: proxy.credentials });
  const secrets = stage.resource(types.secrets);
  const secret = (name: string, data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: stage.namespace },
    data,
  });

  await t.test('s3 without a Secret', async () => {
    await stage.createImage('bare', { spec: { sourceType: 's3' } });
    const image = await stage.reason('bare', 'SecretMissing');
    assert.match(image.status?.message ?? '', /for a public bucket use sourceType http/);
    assert.equal(stage.downloadsOf(image), 0);
  });
  await t.test('a Secret that comes later, wrong at first', async () => {
    await stage.createImage('later', { spec: { sourceType: 's3', secretRef: 'later' } });
    assert.equal(stage.downloadsOf(await stage.reason('later', 'SecretMissing')), 0);
    await secrets.create(secret('later', { accessKeyId: 'eA==' }));
    assert.equal(stage.downloadsOf(await stage.reason('later', 'SecretInvalid')), 0);
    await secrets.mergePatch({ name: 'later', namespace: stage.namespace }, { data: keys });
    assert.equal(stage.downloadsOf(await stage.phase('later', 'Succeeded')), 1);
  });
  await t.test('a Secret that cannot be read', async () => {
    await secrets.create(secret('sealed', keys));
    await stage.createImage('sealed', { spec: { sourceType: 's3', secretRef: 'sealed' } });
    const image = await stage.reason('sealed', 'SecretInvalid');
    assert.match(image.status?.message ?? '', /^Secret sealed cannot be read: Internal error occurred: no key to decipher it; /);
    assert.equal(stage.downloadsOf(image), 0);
  });
  await t.test('certificates that come later', async () => {
    await stage.createImage('certified', { spec: { certConfigMap: 'authority' } });
    assert.equal(stage.downloadsOf(await stage.reason('certified', 'CertConfigMapMissing')), 0);
    await stage.resource(types.configMaps).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'authority', namespace: stage.namespace },
      data: { 'ca.pem': '' },
    });
    assert.equal(stage.downloadsOf(await stage.phase('certified', 'Succeeded')), 1);
  });
  await t.test('a class that comes later', async () => {
    const name = `late-${stage.namespace}`;
    await stage.createImage('classless', { spec: { storageClass: name } });
    const image = await stage.reason('classless', 'StorageClassMissing');
    assert.match(image.status?.message ?? '', new RegExp(name));
    assert.equal(stage.downloadsOf(image), 0);
    await stage.resource(storageClasses).create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'simulated.terrain.dev',
    } as never);
    assert.equal(stage.downloadsOf(await stage.phase('classless', 'Succeeded')), 1);
    await stage.resource(storageClasses).delete({ name });
  });
  await t.test('a snapshot class of another driver', async () => {
    await stage.createImage('foreign', { spec: { storageClass: 'standard', snapshotClass: 'ebs-snapshot' } });
    const image = await stage.reason('foreign', 'SnapshotClassMissing');
    assert.match(image.status?.message ?? '', /belongs to the driver ebs\.csi\.aws\.com/);
    assert.equal(stage.downloadsOf(image), 0);
  });
  await t.test('those that wait hold up nobody', async () => {
    await stage.createImage('plain');
    await stage.phase('plain', 'Succeeded');
    assert.equal(operator.keeper.queue.size, 0);
    // Whoever was let through would have downloaded by now.
    for (const name of ['bare', 'sealed', 'foreign']) {
      const image = stage.image(name);
      assert.equal(image?.status?.attempt, undefined, name);
      assert.equal(image && stage.downloadsOf(image), 0, name);
    }
  });
});

test('all sources are passed on as CDI wants them', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage
    .resource(types.secrets)
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: stage.namespace }, data: keys });
  const digest = `sha256:${'a'.repeat(64)}`;
  await stage.createImage('http', { spec: { checksum: digest } });
  await stage.createImage('s3', { spec: { sourceType: 's3', secretRef: 'keys' } });
  await stage.createImage('gcs', { spec: { sourceType: 'gcs', url: 'gs://bucket/x.qcow2' } });
  await stage.createImage('registry', { spec: { sourceType: 'registry', url: 'docker://registry.example.com/debian:13' } });
  await stage.createImage('blank', { spec: { sourceType: 'blank', url: undefined } });
  for (const name of ['http', 's3', 'gcs', 'registry', 'blank']) await stage.phase(name, 'Succeeded');
  const sources = Object.fromEntries(
    stage.things(types.dataVolumes).map(({ metadata, spec }) => [metadata.labels?.['pelotech.ot/image'], spec?.source]),
  );
  assert.deepEqual(sources, {
    http: { http: { url: 'https://images.example.com/http.qcow2', checksum: digest } },
    s3: { s3: { url: 'https://images.example.com/s3.qcow2', secretRef: 'keys' } },
    gcs: { gcs: { url: 'gs://bucket/x.qcow2' } },
    registry: { registry: { url: 'docker://registry.example.com/debian:13' } },
    blank: { blank: {} },
  });
});
