import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labels, ledgerName, parseLedger, type VMDiskImage } from '@terrain/api';
import { aVirtualMachine, aVMDiskImage } from '@terrain/api/testing';
import type { KubeObject, Resource } from '@terrain/runtime';
import type { ApiFake } from '@terrain/runtime/testing';
import { dataVolumeType } from '#platform/cdi.ts';
import { type ConfigMap, configMapType, namespaceType } from '#platform/core.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { at, eventType, longAgo, until, withOperator } from '#testing/image-rig.ts';
import { imageType } from './api-hands.ts';

const exceeded =
  'volumesnapshots "x" is forbidden: exceeded quota: tight, requested: count/volumesnapshots=1, used: 1, limited: 1';
const tryAgain = /; tried again at \S+$/;

/** Refuses snapshots as long as it is told to. */
class Refusal {
  readonly #status: { readonly code: number; readonly reason: string; readonly message: string };
  isOn = false;
  /** How many it has refused. */
  count = 0;

  constructor(status: { code: number; reason: string; message: string }) {
    this.#status = status;
  }

  readonly admit = ({ verb, kind }: { verb: string; kind: { readonly kind: string } }) => {
    if (!this.isOn || verb !== 'create' || kind.kind !== 'VolumeSnapshot') return undefined;
    this.count++;
    return this.#status;
  };
}

const statusOf = (fake: ApiFake, name: string): VMDiskImage['status'] =>
  (fake.objects(imageType) as unknown as VMDiskImage[]).find(({ metadata }) => metadata.name === name)?.status;
const readyOf = (fake: ApiFake, name: string) => statusOf(fake, name)?.conditions?.find(({ type }) => type === 'Ready');
const volumesOf = (fake: ApiFake, name: string): KubeObject[] =>
  fake.objects(dataVolumeType).filter(({ metadata }) => metadata.name?.startsWith(`${name}-`));
const holders = (fake: ApiFake): string[] => {
  const ledger = fake.objects(configMapType).find(({ metadata }) => metadata.name === ledgerName) as ConfigMap | undefined;
  const reading = parseLedger(ledger?.data);
  return reading.kind === 'ledger' ? [...reading.ledger.entries.values()].map(({ image }) => image) : [];
};

/** Makes the claim that CDI would make for the DataVolume of an image, and answers with the name both have. */
function boundClaimOf(fake: ApiFake, image: string): string {
  const { name = '', namespace, labels } = volumesOf(fake, image)[0]!.metadata;
  const metadata = { name, namespace, labels };
  fake.seed({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, status: { phase: 'Bound' } } as never);
  return name;
}

/** An image whose download is complete. */
async function downloaded(
  fake: ApiFake,
  images: Resource<KubeObject>,
  volumes: Resource<KubeObject>,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  await images.create(aVMDiskImage({ metadata: { name, labels } }) as KubeObject);
  await until(`DataVolume of ${name}`, () => volumesOf(fake, name).length === 1);
  await volumes.mergePatch({ name: boundClaimOf(fake, name), namespace: 'vmdi-farm' }, { status: { phase: 'Succeeded' } });
}

/** Ends a wait, as a person does who does not want to. That it ends by itself is a matter of decisions. */
const retryNow = (images: Resource<KubeObject>, name: string): Promise<KubeObject> =>
  images.mergePatch({ ...at, name }, { metadata: { annotations: { 'pelotech.ot/retry': '1' } } });

test('a snapshot there is no quota for gives its slot to others, and is cut later without a download', async () => {
  const refusal = new Refusal({ code: 403, reason: 'Forbidden', message: exceeded });
  const policy = { templateImageTTL: '', concurrency: '1' };
  await withOperator(
    policy,
    longAgo,
    async ({ fake, images, volumes }) => {
      refusal.isOn = true;
      await downloaded(fake, images, volumes, 'first');
      await until('reason', () => readyOf(fake, 'first')?.reason === 'QuotaExceeded');
      assert.equal(readyOf(fake, 'first')?.message.replace(tryAgain, ''), exceeded);
      const imported = statusOf(fake, 'first')?.conditions?.find(({ type }) => type === 'Imported');
      assert.deepEqual([imported?.status, imported?.message], ['True', 'the download is complete']);
      await images.create(aVMDiskImage({ metadata: { name: 'second' } }) as KubeObject);
      await until('DataVolume of the next', () => volumesOf(fake, 'second').length === 1);
      assert.deepEqual(holders(fake), ['vmdi-farm/second']);
      refusal.isOn = false;
      await retryNow(images, 'first');
      await until('snapshot', () => fake.objects(volumeSnapshotType).some(({ metadata }) => metadata.name?.startsWith('first-')));
      assert.deepEqual([volumesOf(fake, 'first').length, statusOf(fake, 'first')?.retry?.failures], [1, undefined]);
      assert.deepEqual(holders(fake), ['vmdi-farm/second']);
    },
    refusal,
  );
});

test('a policy without backoff does not make an endless round of a snapshot there is no quota for', async () => {
  const refusal = new Refusal({ code: 403, reason: 'Forbidden', message: exceeded });
  await withOperator(
    { templateImageTTL: '', concurrency: '1', retryBackoffDuration: '0s' },
    longAgo,
    async ({ fake, images, volumes }) => {
      refusal.isOn = true;
      await downloaded(fake, images, volumes, 'first');
      await until('reason', () => readyOf(fake, 'first')?.reason === 'QuotaExceeded');
      await images.create(aVMDiskImage({ metadata: { name: 'second' } }) as KubeObject);
      await until('DataVolume of the next', () => volumesOf(fake, 'second').length === 1);
      assert.equal(refusal.count, 1);
    },
    refusal,
  );
});

test('a snapshot that a policy refuses is given up: the slot is free, the download is kept, a retry cuts it', async () => {
  const message = 'snapshots of this class need an owner label';
  const refusal = new Refusal({ code: 422, reason: 'Invalid', message });
  await withOperator(
    { templateImageTTL: '', concurrency: '1' },
    longAgo,
    async ({ fake, images, volumes }) => {
      refusal.isOn = true;
      await downloaded(fake, images, volumes, 'first');
      await until('end', () => statusOf(fake, 'first')?.phase === 'Failed' && holders(fake).length === 0);
      assert.equal(readyOf(fake, 'first')?.reason, 'RefusedByPlatform');
      assert.match(readyOf(fake, 'first')?.message ?? '', new RegExp(`^given up: ${message}; `));
      assert.equal(volumesOf(fake, 'first').length, 1);
      refusal.isOn = false;
      await retryNow(images, 'first');
      await until('snapshot', () => fake.objects(volumeSnapshotType).some(({ metadata }) => metadata.name?.startsWith('first-')));
      assert.deepEqual([volumesOf(fake, 'first').length, holders(fake)], [1, []]);
    },
    refusal,
  );
});

test('a lost snapshot that may not be cut again says why, and is cut when it may', async () => {
  const refusal = new Refusal({ code: 403, reason: 'Forbidden', message: exceeded });
  const policy = { templateImageTTL: '' };
  await withOperator(
    policy,
    longAgo,
    async ({ fake, images, snapshots }) => {
      await until('status', () => statusOf(fake, 'debian')?.phase === 'Succeeded');
      boundClaimOf(fake, 'debian');
      refusal.isOn = true;
      const name = statusOf(fake, 'debian')?.artifact?.volumeSnapshot ?? '';
      await snapshots.delete({ name, namespace: 'vmdi-farm' });
      await until('reason', () => readyOf(fake, 'debian')?.reason === 'QuotaExceeded');
      assert.equal(readyOf(fake, 'debian')?.message.replace(tryAgain, ''), exceeded);
      refusal.isOn = false;
      await retryNow(images, 'debian');
      await until('snapshot', () => fake.objects(volumeSnapshotType).length === 1);
      const status = { readyToUse: true, boundVolumeSnapshotContentName: 'c' };
      await snapshots.mergePatch({ name, namespace: 'vmdi-farm' }, { status });
      await until('Ready', () => statusOf(fake, 'debian')?.phase === 'Succeeded');
      const { retry } = statusOf(fake, 'debian') ?? {};
      assert.deepEqual([retry?.nextRetryAt, retry?.lastReason, volumesOf(fake, 'debian').length], [undefined, undefined, 1]);
    },
    refusal,
  );
});

test('a namespace that may not be marked keeps no slot of a download that is over', async () => {
  let isRefused = false;
  const status = {
    code: 403,
    reason: 'Forbidden',
    message: 'admission webhook "tenants.example.com" denied the request: no labels',
  };
  const admit = ({ verb, kind }: { verb: string; kind: { readonly kind: string } }) =>
    isRefused && verb === 'update' && kind.kind === 'Namespace' ? status : undefined;
  const namespace = (fake: ApiFake) => fake.objects(namespaceType).find(({ metadata }) => metadata.name === 'vmdi-farm');
  await withOperator(
    { templateImageTTL: '', concurrency: '1' },
    longAgo,
    async ({ fake, images }) => {
      await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
      await until('DataVolume', () => volumesOf(fake, 'first').length === 1);
      isRefused = true;
      const vmDiskImageRef = { name: 'first', namespace: 'vmdi-farm' };
      fake.seed(aVirtualMachine({ metadata: { namespace: 'vmdi-farm' }, spec: { vmDiskImageRef } }) as never);
      await until('event', () => fake.objects(eventType).some(({ reason }) => reason === 'RefusedByPlatform'));
      await images.mergePatch({ ...at, name: 'first' }, { metadata: { annotations: { 'pelotech.ot/cancel': 'now' } } });
      await until('end', () => statusOf(fake, 'first')?.phase === 'Failed' && holders(fake).length === 0);
      assert.deepEqual(
        [statusOf(fake, 'first')?.references, namespace(fake)?.metadata.labels?.[labels.imagesInUse]],
        [0, undefined],
      );
      isRefused = false;
      await images.mergePatch({ ...at, name: 'first' }, { metadata: { labels: { look: 'again' } } });
      await until('count', () => statusOf(fake, 'first')?.references === 1);
      assert.equal(namespace(fake)?.metadata.labels?.[labels.imagesInUse], 'true');
    },
    { admit },
  );
});

test('a namespace whose mark may not be taken off keeps no slot, and is named where it holds up a deletion', async () => {
  let isRefused = false;
  const message = 'admission webhook "tenants.example.com" denied the request: no labels';
  const admit = ({ verb, kind }: { verb: string; kind: { readonly kind: string } }) =>
    isRefused && verb === 'update' && kind.kind === 'Namespace' ? { code: 403, reason: 'Forbidden', message } : undefined;
  const isMarked = (fake: ApiFake): boolean =>
    fake
      .objects(namespaceType)
      .some(({ metadata }) => metadata.name === 'vmdi-farm' && metadata.labels?.[labels.imagesInUse] !== undefined);
  await withOperator(
    { templateImageTTL: '', concurrency: '1' },
    longAgo,
    async ({ fake, images, machines }) => {
      await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
      await until('DataVolume', () => volumesOf(fake, 'first').length === 1);
      const machine = { name: 'web', namespace: 'vmdi-farm' };
      const vmDiskImageRef = { name: 'first', namespace: 'vmdi-farm' };
      await machines.create(aVirtualMachine({ metadata: machine, spec: { vmDiskImageRef } }) as KubeObject);
      await until('count', () => statusOf(fake, 'first')?.references === 1);
      assert.ok(isMarked(fake));
      isRefused = true;
      await machines.delete(machine);
      await until('event', () => fake.objects(eventType).some(({ reason }) => reason === 'RefusedByPlatform'));
      await images.mergePatch({ ...at, name: 'first' }, { metadata: { annotations: { 'pelotech.ot/cancel': 'now' } } });
      await until('end', () => statusOf(fake, 'first')?.phase === 'Failed' && holders(fake).length === 0);
      assert.equal(statusOf(fake, 'first')?.references, 0);
      await images.delete({ ...at, name: 'first' });
      await until('sentence', () => statusOf(fake, 'first')?.message?.includes('tenants.example.com') === true);
      assert.equal(
        statusOf(fake, 'first')?.message,
        `no virtual machine refers to it any more, but the label pelotech.ot/images-in-use cannot be taken off Namespace vmdi-farm: ${message}; let the operator do that, and it goes on by itself within a minute`,
      );
      isRefused = false;
      await images.mergePatch({ ...at, name: 'first' }, { metadata: { labels: { look: 'again' } } });
      await until('end of the image', () => statusOf(fake, 'first') === undefined);
      assert.equal(isMarked(fake), false);
    },
    { admit },
  );
});

test('an image that may not have its finalizer gives its slot back, and says why', async () => {
  const message = 'admission webhook "freeze.example.com" denied the request: first is frozen';
  type Write = { verb: string; kind: { readonly kind: string }; subresource?: string | undefined; object: KubeObject };
  const admit = ({ verb, kind, subresource, object }: Write) =>
    verb === 'update' && kind.kind === 'VMDiskImage' && subresource === undefined && object.metadata.name === 'first'
      ? { code: 403, reason: 'Forbidden', message }
      : undefined;
  await withOperator(
    { templateImageTTL: '', concurrency: '1' },
    longAgo,
    async ({ fake, images }) => {
      await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
      await until('word of it', () => readyOf(fake, 'first')?.reason === 'RefusedByPlatform');
      assert.match(readyOf(fake, 'first')?.message ?? '', /freeze\.example\.com/);
      await images.create(aVMDiskImage({ metadata: { name: 'second' } }) as KubeObject);
      await until('DataVolume of the next', () => volumesOf(fake, 'second').length === 1);
      assert.deepEqual([holders(fake), volumesOf(fake, 'first').length], [['vmdi-farm/second'], 0]);
    },
    { admit },
  );
});

test('a deletion that is held up because a snapshot may not be deleted says so, and goes on when it may', async () => {
  const message = 'admission webhook "backup.example.com" denied the request: not backed up yet';
  let isRefused = true;
  const admit = ({ verb, kind }: { verb: string; kind: { readonly kind: string } }) =>
    isRefused && verb === 'delete' && kind.kind === 'VolumeSnapshot' ? { code: 403, reason: 'Forbidden', message } : undefined;
  await withOperator(
    { templateImageTTL: '' },
    longAgo,
    async ({ fake, images }) => {
      await until('status', () => statusOf(fake, 'debian')?.phase === 'Succeeded');
      const name = statusOf(fake, 'debian')?.artifact?.volumeSnapshot;
      await images.delete(at);
      await until('sentence', () => statusOf(fake, 'debian')?.message?.includes('backup.example.com') === true);
      assert.equal(
        statusOf(fake, 'debian')?.message,
        `is being deleted, but VolumeSnapshot ${name} may not be: ${message}; let the operator delete it, and this goes on by itself within a minute`,
      );
      isRefused = false;
      await images.mergePatch(at, { metadata: { labels: { look: 'again' } } });
      await until('end of the image', () => statusOf(fake, 'debian') === undefined);
    },
    { admit },
  );
});

test('a pause does not keep the slot of a download that hangs', async () => {
  await withOperator({ templateImageTTL: '', concurrency: '1', noProgressTimeout: '2s' }, longAgo, async ({ fake, images }) => {
    await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
    await until('DataVolume', () => volumesOf(fake, 'first').length === 1);
    await images.mergePatch({ ...at, name: 'first' }, { metadata: { annotations: { 'pelotech.ot/paused': 'true' } } });
    await until('pause', () => readyOf(fake, 'first')?.reason === 'Paused');
    assert.equal(
      readyOf(fake, 'first')?.message,
      'paused by the annotation pelotech.ot/paused: the download that runs goes on until its end or its deadline, and nothing else is created, changed or deleted until the annotation is removed',
    );
    await until('end of the attempt', () => statusOf(fake, 'first')?.retry?.lastReason === 'NoProgress');
    await until('free slot', () => holders(fake).length === 0);
  });
});

test('who waited for a ledger of another version goes on when it can be read again', async () => {
  await withOperator({ templateImageTTL: '' }, longAgo, async ({ fake, images, configMaps }) => {
    const ledger = { name: ledgerName, namespace: 'sync-operator' };
    await until('status', () => statusOf(fake, 'debian')?.phase === 'Succeeded');
    const { data } = (await configMaps.get(ledger)) as ConfigMap;
    await configMaps.mergePatch(ledger, { data: { schema: '99' } });
    await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
    await until('word of the ledger', () => readyOf(fake, 'first')?.message.includes('99') === true);
    await configMaps.mergePatch(ledger, { data: { schema: data?.schema } });
    await until('DataVolume', () => volumesOf(fake, 'first').length === 1);
  });
});

test('an image that nobody ever used is pruned in its time after its download, though nothing more happens to it', async () => {
  await withOperator({ templateImageTTL: '3s' }, longAgo, async ({ fake, images, volumes, snapshots }) => {
    await downloaded(fake, images, volumes, 'first', { 'pelotech.ot/created-by': 'test' });
    const cut = () => fake.objects(volumeSnapshotType).find(({ metadata }) => metadata.name?.startsWith('first-'));
    await until('snapshot', () => cut() !== undefined);
    const status = { readyToUse: true, boundVolumeSnapshotContentName: 'c' };
    await snapshots.mergePatch({ name: cut()?.metadata.name ?? '', namespace: 'vmdi-farm' }, { status });
    await until('end', () => statusOf(fake, 'first')?.phase === 'Succeeded');
    await until('pruned image', () => statusOf(fake, 'first') === undefined);
  });
});

test('an operator that may not write its ledger stops in good order when it is told to', async () => {
  await withOperator({ templateImageTTL: '', concurrency: '1' }, longAgo, async ({ fake, images, proxy, follow }) => {
    await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
    await until('DataVolume', () => volumesOf(fake, 'first').length === 1);
    const write = { verb: 'update', resource: 'configmaps', name: ledgerName } as const;
    const message = 'admission webhook "w" denied the request';
    follow({ rules: [{ on: 'request', match: write, do: { fault: 'answer', code: 403, reason: 'Forbidden', message } }] });
    const before = proxy.log.count(write);
    await images.mergePatch({ ...at, name: 'first' }, { metadata: { annotations: { 'pelotech.ot/cancel': 'now' } } });
    await until('refused write', () => proxy.log.count(write) > before);
    // The end of this world waits for the operator, which would tell of what does not stop in time.
  });
});
