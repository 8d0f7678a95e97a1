import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { VMDiskImage, VMDiskImageSpec } from '@terrain/api';
import { aVMDiskImage, type Override } from '@terrain/api/testing';
import type { DiskFile } from '#real/platform/disk-file.ts';
import { DiskServer } from '#real/platform/disk-server.ts';
import { killImporter } from './cdi-importer.ts';
import { operate, reasonOf, setPolicy } from './cdi-operator.ts';
import { CdiStand, mebibyte, storageClass, type Thing, types } from './cdi-stand.ts';

const timeout = 600_000;
const usual = {
  concurrency: '20',
  retryLimit: '1',
  retryBackoffDuration: '1s',
  allowInternalSources: 'true',
};

/** What one attempt may cost: the file, and what is read of it to see whether it is a disk, of which the network holds some megabytes. */
const onceAndALook = ({ fileBytes }: DiskFile): number => fileBytes + 8 * mebibyte;

describe('disk images with the real CDI', { timeout }, () => {
  let stand: CdiStand;
  let small: DiskFile;

  before(
    async () => {
      stand = await CdiStand.open();
      await operate(stand.cluster);
      await setPolicy(stand.cluster, usual);
      small = await stand.disk('small.qcow2', { sizeBytes: 64 * mebibyte, dataBytes: 4 * mebibyte });
    },
    { timeout },
  );
  after(() => stand?.[Symbol.asyncDispose](), { timeout: 180_000 });

  const image = (namespace: string, name: string): VMDiskImage | undefined =>
    stand.find(types.images, namespace, name) as VMDiskImage | undefined;

  async function create(namespace: string, name: string, spec: Override<VMDiskImageSpec>): Promise<void> {
    const object = aVMDiskImage({ metadata: { name, namespace }, spec: { diskSize: '128Mi', storageClass, ...spec } });
    await stand.resource<VMDiskImage>(types.images).create(object);
  }

  const ready = (namespace: string, name: string): Promise<VMDiskImage> => ended(namespace, name, 'Succeeded');

  /** The image once Ready gives one of the reasons. */
  function ended(namespace: string, name: string, ...reasons: readonly string[]): Promise<VMDiskImage> {
    return stand.until(
      `${name} to be ${reasons.join(' or ')}`,
      () => (reasons.includes(reasonOf(image(namespace, name))) ? image(namespace, name) : undefined),
      () => [image(namespace, name)?.status, stand.list(types.dataVolumes, namespace).map(({ status }) => status)],
    );
  }

  test('over HTTP to Succeeded; what is cloned from it, in another namespace, holds the same bytes', { timeout }, async () => {
    const namespace = await stand.namespace('http');
    const url = stand.server.put('http.qcow2', small.file);
    await create(namespace, 'disk', { url, sourceType: 'http', checksum: `sha256:${small.fileSha256}` });
    const { status } = await ready(namespace, 'disk');
    assert.equal(status?.attempt?.number, 1);

    const other = await stand.namespace('clones');
    const clone = {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { name: 'root', namespace: other },
      spec: {
        source: { snapshot: { namespace, name: status?.artifact?.volumeSnapshot } },
        storage: { storageClassName: storageClass },
      },
    };
    await stand.resource(types.dataVolumes).create(clone);
    await stand.until(
      'the clone',
      () => stand.find(types.claims, other, 'root')?.status?.phase === 'Bound',
      () => stand.find(types.dataVolumes, other, 'root')?.status,
    );
    assert.deepEqual(await stand.diskIn(other, 'root', small.sizeBytes), { sha256: small.diskSha256, rest: '0' });
  });

  test('over S3 to Succeeded, with the keys of a Secret', { timeout }, async () => {
    const namespace = await stand.namespace('s3');
    const url = await putInBucket('disks/small.qcow2');
    await createKeys(namespace, 'keys', stand.s3);
    await create(namespace, 'disk', { url, sourceType: 's3', secretRef: 'keys' });
    const { status } = await ready(namespace, 'disk');
    const { sha256 } = await stand.diskIn(namespace, status!.artifact!.dataVolume!, small.sizeBytes);
    assert.equal(sha256, small.diskSha256);
  });

  /** An object in the S3 server, reached through the server that counts. */
  async function putInBucket(key: string): Promise<string> {
    const file = join(stand.s3.root, key);
    await mkdir(dirname(file), { recursive: true });
    await copyFile(small.file, file);
    return stand.server.forward(key, stand.s3.origin);
  }

  async function createKeys(namespace: string, name: string, keys: { accessKeyId: string; secretKey: string }): Promise<void> {
    const data = Object.fromEntries(
      (['accessKeyId', 'secretKey'] as const).map((key) => [key, Buffer.from(keys[key]).toString('base64')]),
    );
    await stand.resource(types.secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
  }

  test('what never will work is told at once, and costs next to nothing', { timeout }, async () => {
    const namespace = await stand.namespace('permanent');
    await createKeys(namespace, 'wrong-keys', { accessKeyId: stand.s3.accessKeyId, secretKey: 'wrong' });
    const cases: Record<
      string,
      { readonly spec: Override<VMDiskImageSpec>; readonly reason: string; readonly requests?: number }
    > = {
      'not-found': {
        spec: { url: stand.server.put('not-found', small.file, { status: 404 }) },
        reason: 'SourceNotFound',
        requests: 3,
      },
      forbidden: {
        spec: { url: stand.server.put('forbidden', small.file, { status: 403 }) },
        reason: 'SourceForbidden',
        requests: 3,
      },
      'wrong-checksum': {
        spec: { url: stand.server.put('wrong-checksum', small.file), checksum: `sha256:${'0'.repeat(64)}` },
        reason: 'ChecksumMismatch',
      },
      'too-small': {
        spec: { url: stand.server.put('too-small', small.file), diskSize: '32Mi' },
        reason: 'DiskTooSmall',
      },
      'wrong-keys': {
        spec: { url: await putInBucket('disks/wrong-keys'), sourceType: 's3', secretRef: 'wrong-keys' },
        reason: 'SourceForbidden',
        requests: 4,
      },
    };
    await Promise.all(
      Object.entries(cases).map(async ([name, { spec, reason, requests }]) => {
        await create(namespace, name, { sourceType: 'http', ...spec });
        const { status } = await ended(namespace, name, reason, 'RetryLimitReached', 'Succeeded');
        assert.equal(reasonOf(image(namespace, name)), reason, name);
        assert.equal(status?.attempt?.number, 1, `${name} is not tried again`);
        const traffic = stand.server.traffic(name === 'wrong-keys' ? 'disks/wrong-keys' : name);
        const told = `${name}: ${traffic.requests} requests, ${traffic.bytes} bytes`;
        if (requests === undefined) assert.ok(traffic.bytes <= onceAndALook(small), told);
        else assert.ok(traffic.requests <= requests, told);
        // The attempt is over, so what it held is given back.
        await stand.until(
          `${name} to hold nothing`,
          () => stand.list(types.dataVolumes, namespace).every(({ metadata }) => !metadata.name?.startsWith(`${name}-`)),
          () => stand.list(types.dataVolumes, namespace).map(({ metadata }) => metadata.name),
        );
      }),
    );
    await Promise.all([stand.untilGone(types.claims, namespace), stand.untilGone(types.pods, namespace)]);
  });

  test('a connection that is cut in mid-download is tried again as often as allowed, and then given up', {
    timeout,
  }, async () => {
    const namespace = await stand.namespace('cut');
    const cutAfterBytes = 2 * mebibyte;
    const url = stand.server.put('cut', small.file, { cutAfterBytes });
    await create(namespace, 'disk', { url, sourceType: 'http' });
    const { status } = await ended(namespace, 'disk', 'RetryLimitReached');
    assert.deepEqual([status?.attempt?.number, status?.retry?.lastReason], [2, 'SourceUnreachable']);
    const { requests, bytes } = stand.server.traffic('cut');
    assert.ok(bytes <= 2 * onceAndALook(small), `${requests} requests, ${bytes} bytes`);
  });

  test('an importer that is killed costs one attempt, and the next one succeeds', { timeout }, async () => {
    const namespace = await stand.namespace('killed');
    const url = stand.server.put('killed', small.file, { bytesPerSecond: 512 * 1024 });
    await create(namespace, 'disk', { url, sourceType: 'http' });
    const pod = await downloading(namespace, 'killed');
    assert.equal(killImporter(pod.metadata.uid!), 1);
    stand.server.behave('killed', {});
    const { status } = await ready(namespace, 'disk');
    assert.equal(status?.attempt?.number, 2);
  });

  /** The pod that is downloading, once some of the disk was sent to it. */
  async function downloading(namespace: string, name: string): Promise<Thing> {
    await stand.until(
      `the download of ${name}`,
      () =>
        stand.find(types.images, namespace, 'disk')?.status?.progress !== undefined && stand.server.traffic(name).requests >= 2,
      () => [stand.server.traffic(name), stand.list(types.dataVolumes, namespace).map(({ status }) => status)],
    );
    const [pod] = stand.list(types.pods, namespace).filter(({ status }) => status?.phase === 'Running');
    assert.ok(pod, 'the importer runs');
    return pod;
  }

  test('without its Secret an image waits, with no request made, and goes on when it is there', { timeout }, async () => {
    const namespace = await stand.namespace('secret');
    const url = await putInBucket('disks/waits');
    await create(namespace, 'disk', { url, sourceType: 's3', secretRef: 'later' });
    await ended(namespace, 'disk', 'SecretMissing');
    assert.equal(stand.server.traffic('disks/waits').requests, 0);
    await createKeys(namespace, 'later', stand.s3);
    const { status } = await ready(namespace, 'disk');
    assert.equal(status?.attempt?.number, 1);
  });

  test('deleted in mid-import: the download ends, and nothing is left in the API or on the disk', { timeout }, async () => {
    const namespace = await stand.namespace('deleted');
    const before = readdirSync(join(stand.volumes, 'volumes')).sort();
    const url = stand.server.put('deleted', small.file, { bytesPerSecond: 256 * 1024 });
    await create(namespace, 'disk', { url, sourceType: 'http' });
    await downloading(namespace, 'deleted');
    await stand.remove(types.images, namespace, 'disk');
    await Promise.all([types.dataVolumes, types.claims, types.pods].map((type) => stand.untilGone(type, namespace)));
    await stand.until(
      'the volumes to be gone',
      () => stand.list(types.volumes).every(({ spec }) => (spec?.claimRef as { namespace?: string })?.namespace !== namespace),
      () => stand.list(types.volumes).map(({ spec }) => spec?.claimRef),
    );
    assert.deepEqual(readdirSync(join(stand.volumes, 'volumes')).sort(), before);
    assert.ok(stand.server.traffic('deleted').bytes < small.fileBytes);
  });

  test('with a limit of two, six images of 100 MB are never more than two downloads at once, of hardly more bytes than they have', {
    timeout,
  }, async () => {
    const namespace = await stand.namespace('limit');
    await setPolicy(stand.cluster, { ...usual, concurrency: '2' });
    const large = await stand.disk('large.qcow2', { sizeBytes: 128 * mebibyte, dataBytes: 100 * mebibyte });
    const server = await DiskServer.start({ host: stand.node.address });
    const names = Array.from({ length: 6 }, (_, index) => `disk-${index}`);
    try {
      for (const name of names)
        await create(namespace, name, { url: server.put(name, large.file), sourceType: 'http', diskSize: '192Mi' });
      await Promise.all(names.map((name) => ready(namespace, name)));
      assert.equal(server.mostDisksAtOnce, 2);
      for (const name of names) {
        const { requests, bytes } = server.traffic(name);
        assert.ok(bytes <= 1.1 * large.fileBytes, `${name}: ${requests} requests, ${bytes} bytes`);
      }
    } finally {
      await server.close();
    }
  });
});
