import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setSyncPolicy } from '@terrain/embedded/testing';
import { limitStorage, raiseStorage } from '../contract/quota.ts';
import { killImporter } from './cdi-importer.ts';
import { type CdiStand, mebibyte, types } from './cdi-stand.ts';
import { permanentFailures } from './image-failures.ts';
import { ImageStage, lookBytes, reasonOf, usualPolicy } from './image-stage.ts';

const timeout = 600_000;

/** Disk images with the operator, CDI, the storage driver and servers, all real. */
export function imageSuite(): void {
  describe('disk images with the real CDI', { timeout: 3 * timeout, concurrency: 1 }, () => {
    let stage: ImageStage;
    let stand: CdiStand;
    before(
      async () => {
        stage = await ImageStage.open();
        ({ stand } = stage);
      },
      { timeout },
    );
    after(() => stage?.[Symbol.asyncDispose](), { timeout: 180_000 });

    describe('each on its own', { concurrency: 4, timeout: 2 * timeout }, () => {
      test('over HTTP to Succeeded; what is cloned from it holds the same bytes', { timeout }, async () => {
        const { small } = stage;
        const namespace = await stand.namespace('http');
        const url = stand.server.put('http.qcow2', small.file);
        await stage.create(namespace, 'disk', { url, checksum: `sha256:${small.fileSha256}` });
        const done = await stage.ready(namespace, 'disk');
        assert.equal(done.status?.attempt?.number, 1);
        assert.deepEqual(await stage.cloned(namespace, done), { sha256: small.diskSha256, hasMore: false });
      });

      test('over S3 to Succeeded, with the keys of a Secret; what is cloned from it holds the same bytes', {
        timeout,
      }, async () => {
        const { small } = stage;
        const namespace = await stand.namespace('s3');
        const url = await stand.bucketUrl('disks/small.qcow2', small.file);
        await stand.createKeys(namespace, 'keys', stand.s3);
        await stage.create(namespace, 'disk', { url, sourceType: 's3', secretRef: 'keys' });
        const done = await stage.ready(namespace, 'disk');
        assert.deepEqual(await stage.cloned(namespace, done), { sha256: small.diskSha256, hasMore: false });
      });

      for (const [name, make] of Object.entries(permanentFailures))
        test(`${name}: told at once, costs next to nothing and leaves nothing`, { timeout }, async () => {
          const namespace = await stand.namespace(name);
          await stand.createKeys(namespace, 'keys', { accessKeyId: stand.s3.accessKeyId, secretKey: 'wrong' });
          const { spec, reason, words, served, requestsEach, bytes } = await make(stage, name);
          await stage.create(namespace, 'disk', spec);
          const { status } = await stage.ended(namespace, 'disk', reason, 'RetryLimitReached', 'Succeeded');
          const { lastMessage = '' } = status?.retry ?? {};
          // Also on a busy machine, where kubelet starts an importer again before CDI has looked, and CDI then never tells of the failure.
          assert.equal(reasonOf(stage.find(namespace, 'disk')), reason, JSON.stringify(status?.history));
          assert.equal(status?.attempt?.number, 1, JSON.stringify(status?.history));
          assert.match(lastMessage, words);
          const { message = '' } = status ?? {};
          assert.ok(message.startsWith('given up') && message.includes(`: ${lastMessage}; `), message);
          await stand.untilNothingLeft(namespace);
          const traffic = stand.server.traffic(served);
          const starts = stand.importers.startsIn(namespace);
          const firstFailure = stand.importers.firstFailureIn(namespace) ?? Number.POSITIVE_INFINITY;
          const late = starts.map((at) => at - firstFailure);
          const told = `${name}: ${traffic.requests} requests, ${traffic.bytes} bytes, importers started ${late} ms after it could be seen`;
          console.log(`  ${told}`);
          // The first of an attempt looks, those after it download.
          assert.ok(traffic.bytes <= bytes * Math.max(1, starts.length - 1), told);
          if (requestsEach === undefined) return;
          assert.ok(starts.length > 0 && traffic.requests <= requestsEach * starts.length, told);
          assert.ok(
            late.every((ms) => ms <= 2000),
            told,
          );
        });

      test('a connection that is cut in mid-download is tried again as often as allowed, and then given up', {
        timeout,
      }, async () => {
        const { small } = stage;
        const namespace = await stand.namespace('cut');
        const url = stand.server.put('cut', small.file, { cutAfterBytes: 2 * mebibyte });
        await stage.create(namespace, 'disk', { url });
        const { status } = await stage.ended(namespace, 'disk', 'RetryLimitReached');
        assert.equal(status?.attempt?.number, 2);
        assert.match(status?.retry?.lastMessage ?? '', /: failed to pull image: unexpected EOF$/);
        await stand.untilNothingLeft(namespace);
        const { requests, bytes } = stand.server.traffic('cut');
        assert.ok(bytes <= 2 * (small.fileBytes + lookBytes), `${requests} requests, ${bytes} bytes`);
      });

      test('an importer that is killed costs one attempt, and the next one succeeds', { timeout }, async () => {
        const namespace = await stand.namespace('killed');
        const url = stand.server.put('killed', stage.small.file, { holdAfterBytes: mebibyte });
        await stage.create(namespace, 'disk', { url });
        const pod = await stage.downloading(namespace);
        assert.equal(killImporter(pod.metadata.uid!), 1);
        stand.server.behave('killed', {});
        const { status } = await stage.ready(namespace, 'disk');
        assert.equal(status?.attempt?.number, 2);
        assert.ok(status?.history?.some(({ attempt, result }) => attempt === 1 && result === 'ImporterFailed'));
      });

      test('without its Secret an image waits, with no request made, and goes on when it is there', { timeout }, async () => {
        const namespace = await stand.namespace('secret');
        const url = await stand.bucketUrl('disks/waits', stage.small.file);
        await stage.create(namespace, 'disk', { url, sourceType: 's3', secretRef: 'later' });
        const { status: waiting } = await stage.ended(namespace, 'disk', 'SecretMissing');
        assert.match(waiting?.message ?? '', /later/);
        assert.equal(stand.server.traffic('disks/waits').requests, 0);
        await stand.createKeys(namespace, 'later', stand.s3);
        const { status } = await stage.ready(namespace, 'disk');
        assert.equal(status?.attempt?.number, 1);
      });

      test('over its quota an image waits, with no request made, and goes on when there is room', { timeout }, async () => {
        const namespace = await stand.namespace('quota');
        await limitStorage(stand.cluster.connection(), namespace, '128Mi');
        const url = stand.server.put('quota', stage.small.file);
        await stage.create(namespace, 'disk', { url });
        const { status: waiting } = await stage.ended(namespace, 'disk', 'QuotaExceeded');
        assert.match(waiting?.message ?? '', /exceeded quota: q/);
        assert.equal(stand.server.traffic('quota').requests, 0);
        await raiseStorage(stand.cluster.connection(), namespace, '10Gi');
        const { status } = await stage.ready(namespace, 'disk');
        assert.equal(status?.retry?.failures ?? 0, 0, 'to wait is no failure');
      });

      test('deleted in mid-import: the download ends, and nothing is left in the API or on the disk', { timeout }, async () => {
        const namespace = await stand.namespace('deleted');
        const url = stand.server.put('deleted', stage.large.file, { holdAfterBytes: mebibyte });
        await stage.create(namespace, 'disk', { url, diskSize: '192Mi' });
        await stage.downloading(namespace);
        await stand.remove(types.images, namespace, 'disk');
        await stand.untilNothingLeft(namespace);
        assert.ok(stand.server.traffic('deleted').bytes < 2 * lookBytes);
      });
    });

    test('with a limit of two, six images of 100 MB are never more than two downloads at once, of hardly more bytes than they have', {
      timeout,
    }, async () => {
      const { large } = stage;
      const namespace = await stand.namespace('limit');
      await setSyncPolicy(stand.cluster, { ...usualPolicy, concurrency: '2' });
      const server = await stand.newServer();
      const names = Array.from({ length: 6 }, (_, index) => `disk-${index}`);
      const held = { holdAfterBytes: mebibyte };
      for (const name of names)
        await stage.create(namespace, name, { url: server.put(name, large.file, held), diskSize: '192Mi' });
      // Two are sent something, and go no further until the others have been told to wait.
      const waiting = () => names.filter((name) => reasonOf(stage.find(namespace, name)) === 'Queued').length;
      await stand.until('four images that wait for two', () => server.mostDisksAtOnce === 2 && waiting() === 4, waiting);
      for (const name of names) server.behave(name, {});
      await Promise.all(names.map((name) => stage.ready(namespace, name)));
      assert.equal(server.mostDisksAtOnce, 2);
      for (const name of names) {
        const { requests, bytes } = server.traffic(name);
        assert.ok(bytes <= 1.1 * large.fileBytes, `${name}: ${requests} requests, ${bytes} bytes`);
      }
    });
  });
}
