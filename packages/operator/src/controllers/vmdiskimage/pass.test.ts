import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageStatus } from '@terrain/api';
import { ApiError, type Happening } from '@terrain/runtime';
import { aSnapshot, syncing } from '#testing/image-world.ts';
import { decide } from './decide.ts';
import { NamespaceUse } from './namespace-use.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { StoredImage } from './snapshot.ts';

const before = { references: 1, referencedBy: ['lab-7/a'], referencesAsOf: '20' };

/** Stores the status of an image that one more machine refers to; what protects it is refused. */
async function saved({ mark, finalizer }: { readonly mark?: ApiError; readonly finalizer?: ApiError }) {
  const snapshot = aSnapshot({
    image: { status: syncing(before) },
    references: { count: 2, names: ['lab-7/a', 'lab-7/b'], asOf: '60', waiting: '55' },
  });
  const written: VMDiskImageStatus[] = [];
  const happenings: Happening[] = [];
  const order: string[] = [];
  const pass = {
    deps: {
      intake: { wrote: () => undefined },
      namespaceUse: new NamespaceUse(),
      record: (_: unknown, happening: Happening) => happenings.push(happening),
    },
    hands: {
      markNamespace: async () => {
        if (mark !== undefined) throw mark;
        order.push('mark');
      },
      addFinalizer: async (image: StoredImage) => {
        if (finalizer !== undefined) throw finalizer;
        order.push('finalizer');
        return image;
      },
      writeStatus: async (image: StoredImage, status: VMDiskImageStatus) => {
        written.push(status);
        order.push('status');
        return { ...image, status, metadata: { ...image.metadata, resourceVersion: '99' } };
      },
    },
  } as unknown as Pass;
  const { heldMs } = await saveStatus(pass, snapshot, decide(snapshot));
  const [{ references, referencedBy, referencesAsOf, history } = {}] = written;
  return { heldMs, counted: { references, referencedBy, referencesAsOf }, result: history?.at(-1)?.result, happenings, order };
}

const answered = (code: number, message: string): ApiError => new ApiError(code, { message, reason: 'x' }, 'PATCH /api/v1/x');

test('a reference is counted once the image is protected, by the finalizer first, which tells the next process of the rest', async () => {
  const { heldMs, counted, happenings, order } = await saved({});
  assert.deepEqual(order, ['finalizer', 'mark', 'status']);
  assert.deepEqual(counted, { references: 2, referencedBy: ['lab-7/a', 'lab-7/b'], referencesAsOf: '60' });
  assert.deepEqual([heldMs, happenings.filter(({ reason }) => reason === 'RefusedByPlatform')], [0, []]);
});

for (const [name, given] of Object.entries({
  'the mark on the namespace is refused': { mark: answered(403, 'admission webhook "w" denied the request: no') },
  'the webhook that is asked about the namespace is away': {
    mark: new ApiError(
      500,
      { reason: 'InternalError', message: 'Internal error occurred: failed calling webhook "w": timeout' },
      'PATCH /api/v1/x',
    ),
  },
  'the finalizer is refused': { finalizer: answered(422, 'no such finalizer') },
}))
  test(`when ${name}, the outcome is stored, the reference is not counted, and people are told`, async () => {
    const { heldMs, counted, result, happenings } = await saved(given);
    assert.deepEqual([counted, result, heldMs], [before, 'Interrupted', 30_000]);
    const [error] = Object.values(given);
    assert.deepEqual(happenings, [
      {
        type: 'Warning',
        reason: 'RefusedByPlatform',
        note: `cannot be protected while virtual machines refer to it: ${error?.message.replace(/PATCH \/api\/v1\/x: (Internal error occurred: )?/, '')}; new ones wait until the operator may put the label pelotech.ot/images-in-use on Namespace vmdi-farm and the finalizer pelotech.ot/in-use on the image`,
      },
    ]);
  });

for (const code of [401, 404, 409, 429, 500, 503, 504])
  test(`an answer ${code} says nothing about the protection: nothing is stored, and the pass is tried again`, async () => {
    await assert.rejects(saved({ mark: answered(code, 'later') }), /later/);
  });

/** Passes over an image that nobody refers to any more, until one is not interrupted. */
async function unprotected({
  diesAt,
  isMarkedInUse = true,
}: {
  readonly diesAt?: 'mark' | 'finalizer';
  readonly isMarkedInUse?: boolean;
}) {
  const world = { finalizers: ['pelotech.ot/cleanup', 'pelotech.ot/in-use'], isMarkedInUse };
  let death = diesAt;
  const reach = (write: 'mark' | 'finalizer'): void => {
    if (death !== write) return;
    death = undefined;
    throw new Error('the process died');
  };
  for (let pass = 0; pass < 2; pass++) {
    const snapshot = aSnapshot({
      image: { metadata: { finalizers: world.finalizers }, status: syncing({ references: 0 }) },
      namespace: { isTerminating: false, isMarkedInUse: world.isMarkedInUse },
    });
    const hands = {
      markNamespace: async (_: string, isInUse: boolean) => {
        reach('mark');
        world.isMarkedInUse = isInUse;
      },
      removeFinalizer: async (image: StoredImage, finalizer: string) => {
        reach('finalizer');
        world.finalizers = world.finalizers.filter((name) => name !== finalizer);
        return image;
      },
      writeStatus: async (image: StoredImage) => image,
    };
    const informers = { images: { store: { keysByIndex: () => [] } } };
    const one = {
      deps: { informers, intake: { wrote: () => undefined }, namespaceUse: new NamespaceUse() },
      hands,
    } as unknown as Pass;
    await saveStatus(one, snapshot, decide(snapshot)).catch((error: Error) => assert.equal(error.message, 'the process died'));
  }
  return world;
}

for (const diesAt of [undefined, 'mark', 'finalizer'] as const)
  test(`what protected an image goes when nobody refers to it${diesAt === undefined ? '' : `, also if the process dies before the ${diesAt} is gone`}`, async () =>
    assert.deepEqual(await unprotected(diesAt === undefined ? {} : { diesAt }), {
      finalizers: ['pelotech.ot/cleanup'],
      isMarkedInUse: false,
    }));

test('a finalizer whose process died before it marked the namespace goes as well', async () => {
  const world = await unprotected({ isMarkedInUse: false });
  assert.deepEqual(world, { finalizers: ['pelotech.ot/cleanup'], isMarkedInUse: false });
});

test('two images that nobody refers to any more, let go of at once, leave their namespace unmarked', async () => {
  const marks: boolean[] = [];
  const namespaceUse = new NamespaceUse();
  // As the cache shows them until both writes have come back.
  const informers = { images: { store: { keysByIndex: () => ['vmdi-farm/a', 'vmdi-farm/b'] } } };
  const letGo = async (name: string): Promise<void> => {
    const snapshot = aSnapshot({
      image: { metadata: { name, finalizers: ['pelotech.ot/in-use'] }, status: syncing({ references: 1 }) },
      namespace: { isTerminating: false, isMarkedInUse: true },
    });
    const hands = {
      markNamespace: async (_: string, isInUse: boolean) => void marks.push(isInUse),
      removeFinalizer: async (image: StoredImage) => image,
      writeStatus: async (image: StoredImage) => image,
    };
    const deps = { informers, namespaceUse, intake: { wrote: () => undefined } };
    await saveStatus({ deps, hands, key: `vmdi-farm/${name}` } as unknown as Pass, snapshot, decide(snapshot));
  };
  await Promise.all([letGo('a'), letGo('b')]);
  assert.deepEqual(marks, [false]);
});
