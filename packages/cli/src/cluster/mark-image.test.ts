import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, crdOf, type VMDiskImage, vmDiskImageKind } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { type ApiRequest, Connection, type Resource } from '@terrain/runtime';
import { ApiFake } from '@terrain/runtime/testing';
import { answerCancel } from '../image/ask.ts';
import { CommandError } from '../output/exit.ts';
import { readyStatus, waitingStatus } from '../testing/image.ts';
import { imagesOf } from './images.ts';
import { markImage } from './mark-image.ts';

const at = { namespace: 'default', name: 'debian' };
const now = '2026-01-03T00:00:00Z';
const onTheWay = waitingStatus('2026-01-01T00:00:00Z', '1');

/** A connection on which something happens after each look at an image, before what follows from it. */
class Meddled extends Connection {
  meddle: (look: number) => Promise<unknown> = async () => undefined;
  looks = 0;

  override async request<T>(request: ApiRequest): Promise<T> {
    const answer = await super.request<T>(request);
    if (request.method === 'GET') {
      this.looks += 1;
      await this.meddle(this.looks);
    }
    return answer;
  }
}

interface Scene {
  readonly images: Resource<VMDiskImage>;
  readonly report: (status: object) => Promise<unknown>;
  readonly add: () => Promise<unknown>;
}

/** Cancels an image that is on its way while `meddle` happens after a look. */
async function cancel(meddle: (scene: Scene, look: number) => Promise<unknown>) {
  await using fake = await ApiFake.start();
  await using quiet = new Connection(fake.credentials);
  await using connection = new Meddled(fake.credentials);
  fake.seed(crdOf(vmDiskImageKind) as unknown as Parameters<ApiFake['seed']>[0]);
  const images = imagesOf(quiet);
  const report = (status: object) => images.mergePatch({ ...at, subresource: 'status' }, { status });
  const add = async () => {
    await images.create(aVMDiskImage({ metadata: at }));
    await report(onTheWay);
  };
  await add();
  connection.meddle = (look) => meddle({ images, report, add }, look);
  const outcome = await markImage(connection, at, (image) => answerCancel(image, now)).then(
    ({ kind }) => kind,
    (error: unknown) => {
      assert.ok(error instanceof CommandError, String(error));
      return error.message;
    },
  );
  const stored = await images.find(at);
  return { outcome, mark: stored?.metadata.annotations?.[annotations.cancel], looks: connection.looks };
}

test('an image that got ready between look and mark is not marked', async () => {
  const { outcome, mark } = await cancel(({ report }, look) => (look === 1 ? report(readyStatus) : Promise.resolve()));
  assert.deepEqual({ outcome, mark }, { outcome: 'default/debian is ready: there is no download to cancel.', mark: undefined });
});

test('a harmless change between look and mark does not keep it from being marked', async () => {
  const result = await cancel(({ report }, look) => (look === 1 ? report({ message: 'still waits' }) : Promise.resolve()));
  assert.deepEqual(result, { outcome: 'mark', mark: now, looks: 2 });
});

test('an image that changes after every look is told in a sentence, and is not marked', async () => {
  const { outcome, mark } = await cancel(({ report }, look) => report({ message: `look ${look}` }));
  const sentence = 'default/debian changed each time it was looked at; nothing was asked of the operator: try again.';
  assert.deepEqual({ outcome, mark }, { outcome: sentence, mark: undefined });
});

test('an image that was made again under the name is not marked', async () => {
  const { outcome, mark } = await cancel(async ({ images, add }, look) => {
    if (look > 1) return;
    await images.delete(at);
    await add();
  });
  const sentence = 'default/debian was deleted and made again meanwhile; nothing was changed.';
  assert.deepEqual({ outcome, mark }, { outcome: sentence, mark: undefined });
});

test('an image that went between look and mark is told as one that is not there', async () => {
  const { outcome } = await cancel(({ images }, look) => (look === 1 ? images.delete(at) : Promise.resolve()));
  assert.equal(outcome, 'there is no disk image default/debian; `terrain image list -A` shows those there are.');
});
