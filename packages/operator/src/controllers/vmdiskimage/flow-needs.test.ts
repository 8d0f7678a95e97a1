import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerName, type VMDiskImage } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import type { ApiFake, FaultPlan, RequestFault } from '@terrain/runtime/testing';
import { dataVolumeType } from '#platform/cdi.ts';
import { secretType } from '#platform/core.ts';
import { at, longAgo, until, withOperator } from '#testing/image-rig.ts';
import { aStorageClass } from '#testing/image-world.ts';
import { imageType } from './api-hands.ts';

const statusOf = (fake: ApiFake, name: string): VMDiskImage['status'] =>
  (fake.objects(imageType) as unknown as VMDiskImage[]).find(({ metadata }) => metadata.name === name)?.status;
const readyOf = (fake: ApiFake, name: string) => statusOf(fake, name)?.conditions?.find(({ type }) => type === 'Ready');
const hasVolume = (fake: ApiFake, name: string): boolean =>
  fake.objects(dataVolumeType).some(({ metadata }) => metadata.name?.startsWith(`${name}-`));

const seedSecret = (fake: ApiFake): unknown =>
  fake.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace: 'vmdi-farm' },
    data: { accessKeyId: 'QUtJQQ==', secretKey: 'c2VjcmV0' },
  } as never);
const needing = (name: string, spec: VMDiskImage['spec'] | object): KubeObject =>
  aVMDiskImage({ metadata: { name }, spec }) as KubeObject;
const reading = (resource: string, fault: RequestFault): FaultPlan => ({
  rules: [{ on: 'request', match: { verb: 'get', resource, name: 'keys' }, do: fault }],
});
const policy = { templateImageTTL: '', concurrency: '1' };
const undecipherable = 'Internal error occurred: unable to transform key "/registry/secrets/vmdi-farm/keys": no KMS';

const unreadable: Record<string, { spec: object; plan: FaultPlan; want: readonly [reason: string, message: string] }> = {
  'a Secret that the API server cannot decipher': {
    spec: { sourceType: 's3', secretRef: 'keys' },
    plan: reading('secrets', { fault: 'answer', code: 500, reason: 'InternalError', message: undecipherable }),
    want: [
      'SecretInvalid',
      `Secret keys cannot be read: ${undecipherable}; see that the API server can read it (kubectl get secret keys), and the image goes on by itself within a minute`,
    ],
  },
  'a ConfigMap that the operator may not read': {
    spec: { certConfigMap: 'keys' },
    plan: reading('configmaps', { fault: 'answer', code: 403, reason: 'Forbidden', message: 'configmaps "keys" is forbidden' }),
    want: [
      'CertConfigMapMissing',
      'ConfigMap keys cannot be read: configmaps "keys" is forbidden; let the operator read it (ClusterRole terrain-operator), and the image goes on by itself within a minute',
    ],
  },
};
for (const [name, { spec, plan, want }] of Object.entries(unreadable))
  test(`${name} holds up nobody else, and is told`, async () => {
    await withOperator(
      policy,
      longAgo,
      async ({ fake, images, follow }) => {
        seedSecret(fake);
        fake.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'keys', namespace: 'vmdi-farm' } });
        await images.create(needing('first', spec));
        await images.create(needing('second', {}));
        await until('DataVolume of the other', () => hasVolume(fake, 'second'));
        await until('word of it', () => readyOf(fake, 'first')?.reason === want[0]);
        const { status = {}, metadata } = fake.objects(imageType).find((image) => image.metadata.name === 'first') as VMDiskImage;
        assert.deepEqual(
          [readyOf(fake, 'first')?.message, status.attempt, status.queuedAt],
          [want[1], undefined, metadata.creationTimestamp],
        );
        follow({ rules: [] });
        await images.mergePatch({ ...at, name: 'first' }, { metadata: { labels: { look: 'again' } } });
        await until('place in the queue', () => readyOf(fake, 'first')?.reason === 'Queued');
        assert.equal(statusOf(fake, 'first')?.queuedAt, metadata.creationTimestamp);
      },
      { plan },
    );
  });

test('while a Secret gets no answer its image holds up nobody, and goes on when there is one', async () => {
  await withOperator(
    { ...policy, concurrency: '2' },
    longAgo,
    async ({ fake, images, follow }) => {
      seedSecret(fake);
      await images.create(needing('first', { sourceType: 's3', secretRef: 'keys' }));
      await images.create(needing('second', {}));
      await until('DataVolume of the other', () => hasVolume(fake, 'second'));
      assert.equal(hasVolume(fake, 'first'), false);
      follow({ rules: [] });
      await until('DataVolume of the first', () => hasVolume(fake, 'first'));
    },
    { plan: reading('secrets', { fault: 'refuse' }) },
  );
});

test('an image that goes while its Secret is read leaves no place in the queue that holds up others', async () => {
  await withOperator(
    { ...policy, concurrency: '2' },
    longAgo,
    async ({ fake, images, proxy }) => {
      seedSecret(fake);
      await images.create(needing('first', { sourceType: 's3', secretRef: 'keys' }));
      await until('look at the Secret', () => proxy.log.count({ verb: 'get', resource: 'secrets' }) === 1);
      await images.delete({ ...at, name: 'first' });
      await images.create(needing('second', {}));
      await until('DataVolume of the second, made after the first was seen to go', () => hasVolume(fake, 'second'));
      proxy.open('kms');
      await until('decision about the one that is gone', () => proxy.log.count({ verb: 'write', name: 'first' }) > 0);
      await images.create(needing('third', {}));
      await until('DataVolume of the third', () => hasVolume(fake, 'third'));
    },
    { plan: reading('secrets', { fault: 'hold', gate: 'kms' }) },
  );
});

test('a Secret that cannot be read any more when its image has a slot gives the slot back', async () => {
  await withOperator(
    policy,
    longAgo,
    async ({ fake, images }) => {
      seedSecret(fake);
      await images.create(needing('first', { sourceType: 's3', secretRef: 'keys' }));
      await until('word of it', () => readyOf(fake, 'first')?.reason === 'SecretInvalid');
      await images.create(needing('second', {}));
      await until('DataVolume of the other', () => hasVolume(fake, 'second'));
      assert.equal(hasVolume(fake, 'first'), false);
    },
    {
      plan: {
        rules: [
          {
            on: 'request',
            match: { verb: 'get', resource: 'secrets', name: 'keys' },
            nth: { from: 2 },
            do: { fault: 'answer', code: 500, reason: 'InternalError', message: undecipherable },
          },
        ],
      },
    },
  );
});

const leaveNoTrace = (fake: ApiFake, name: string): void => {
  const { attempt, retry, history } = statusOf(fake, name) ?? {};
  assert.deepEqual([attempt, retry?.lastAttempt, history], [undefined, undefined, undefined], name);
};

for (const [how, isDoubted] of [
  ['', false],
  [' and somebody else writes the ledger', true],
] as const)
  test(`who waits behind others while the StorageClass goes${how} takes no slot, and goes on in the old order`, async () => {
    await withOperator(policy, longAgo, async ({ fake, images, configMaps, classes }) => {
      for (const name of ['first', 'second', 'third']) {
        await images.create(needing(name, {}));
        const reason = name === 'first' ? 'Importing' : 'Queued';
        await until(`word of ${name}`, () => readyOf(fake, name)?.reason === reason);
      }
      const since = ['second', 'third'].map((name) => statusOf(fake, name)?.queuedAt);
      await classes.delete({ name: 'fast' });
      if (isDoubted)
        await configMaps.mergePatch(
          { name: ledgerName, namespace: 'sync-operator' },
          { metadata: { labels: { touched: 'by-hand' } } },
        );
      await images.delete({ ...at, name: 'first' });
      for (const name of ['second', 'third']) {
        await until(`word of ${name}`, () => readyOf(fake, name)?.reason === 'StorageClassMissing');
        leaveNoTrace(fake, name);
      }
      fake.seed(aStorageClass() as never);
      await until('DataVolume of the second', () => hasVolume(fake, 'second'));
      await until('word of the third', () => readyOf(fake, 'third')?.reason === 'Queued');
      leaveNoTrace(fake, 'third');
      assert.deepEqual(
        ['second', 'third'].map((name) => statusOf(fake, name)?.queuedAt),
        since,
      );
    });
  });

test('of all who share a Secret that went while they waited, only the one that finds out has a slot for a while', async () => {
  await withOperator(policy, longAgo, async ({ fake, images, secrets }) => {
    seedSecret(fake);
    await images.create(needing('first', {}));
    await until('word of the first', () => readyOf(fake, 'first')?.reason === 'Importing');
    for (const name of ['second', 'third']) {
      await images.create(needing(name, { sourceType: 's3', secretRef: 'keys' }));
      await until(`word of ${name}`, () => readyOf(fake, name)?.reason === 'Queued');
    }
    await secrets.delete({ ...at, name: 'keys' });
    await images.delete({ ...at, name: 'first' });
    for (const name of ['second', 'third']) await until(`word of ${name}`, () => readyOf(fake, name)?.reason === 'SecretMissing');
    leaveNoTrace(fake, 'third');
    seedSecret(fake);
    await until('DataVolume of the second', () => hasVolume(fake, 'second'));
  });
});

const awaited: Record<string, { spec: object; reason: string; bring: (fake: ApiFake) => unknown }> = {
  class: { spec: {}, reason: 'StorageClassMissing', bring: (fake) => fake.seed(aStorageClass() as never) },
  Secret: { spec: { secretRef: 'keys' }, reason: 'SecretMissing', bring: seedSecret },
};
for (const [what, { spec, reason, bring }] of Object.entries(awaited))
  test(`those who waited for a ${what} take their places before one of them is admitted`, async () => {
    await withOperator(policy, longAgo, async ({ fake, images, classes }) => {
      if (what === 'class') await classes.delete({ name: 'fast' });
      const early = needing('early', spec);
      await images.create({ ...early, metadata: { ...early.metadata, annotations: { 'pelotech.ot/paused': 'true' } } });
      await until('pause', () => readyOf(fake, 'early')?.reason === 'Paused');
      // More than there are workers.
      const late = Array.from({ length: 40 }, (_, n) => `late-${n}`);
      for (const name of late) await images.create(needing(name, spec));
      await until('word of all late ones', () => late.every((name) => readyOf(fake, name)?.reason === reason));
      await images.mergePatch({ ...at, name: 'early' }, { metadata: { annotations: { 'pelotech.ot/paused': null } } });
      await until('word of the early one', () => readyOf(fake, 'early')?.reason === reason);
      bring(fake);
      await until('DataVolume of the early one', () => hasVolume(fake, 'early'));
      for (const name of late) leaveNoTrace(fake, name);
    });
  });

test('a Secret that is not needed any more is not watched any more', async () => {
  await withOperator({ ...policy, concurrency: '0' }, longAgo, async ({ fake, images }) => {
    await until('status', () => statusOf(fake, 'debian')?.phase === 'Succeeded');
    const before = fake.openWatches(secretType);
    await images.create(needing('first', { secretRef: 'keys' }));
    await images.create(needing('second', { secretRef: 'others' }));
    await until('watches', () => fake.openWatches(secretType) === before + 2);
    await images.mergePatch({ ...at, name: 'first' }, { spec: { secretRef: null } });
    await images.mergePatch({ ...at, name: 'second' }, { metadata: { annotations: { 'pelotech.ot/cancel': 'now' } } });
    await until('end of the watches', () => fake.openWatches(secretType) === before);
  });
});

test('an image whose class goes before its own word of waiting comes back goes on when the class is there again', async () => {
  const plan: FaultPlan = {
    rules: [
      {
        on: 'event',
        match: { resource: 'vmdiskimages', name: 'second', type: 'MODIFIED' },
        do: { fault: 'hold', gate: 'echo' },
      },
    ],
  };
  await withOperator(
    policy,
    longAgo,
    async ({ fake, images, classes, proxy }) => {
      await images.create(needing('first', {}));
      await until('DataVolume of the first', () => hasVolume(fake, 'first'));
      await images.create(needing('second', {}));
      await until('word of the second', () => readyOf(fake, 'second')?.reason === 'Queued');
      await classes.delete({ name: 'fast' });
      const isTold = () =>
        proxy.log.entries.some((entry) => entry.sort === 'event' && entry.type === 'DELETED' && entry.name === 'fast');
      await until('news of the class', isTold);
      proxy.open('echo');
      // On the same stream, so what was held has been handled when this one has a word.
      await images.create(needing('third', {}));
      await until('word of the third', () => readyOf(fake, 'third')?.reason === 'StorageClassMissing');
      fake.seed(aStorageClass() as never);
      await images.delete({ ...at, name: 'first' });
      await until('DataVolume of the second', () => hasVolume(fake, 'second'));
    },
    { plan },
  );
});
