import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdOf, type VMDiskImage, vmDiskImageKind } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { Connection } from '@terrain/runtime';
import { ApiFake } from '@terrain/runtime/testing';
import { imagesOf } from './images.ts';
import { deleteImages, pruneShown } from './prune-images.ts';

const definition = crdOf(vmDiskImageKind) as unknown as Parameters<ApiFake['seed']>[0];
const words = 'image is used by 1 virtual machine';

test('an image goes only in the version that was judged; one that stays keeps no other from going', async () => {
  const fake = await ApiFake.start({
    admit: ({ verb, object }) =>
      verb === 'delete' && object.metadata.name === 'refused' ? { code: 403, reason: 'Forbidden', message: words } : undefined,
  });
  await using connection = new Connection(fake.credentials);
  try {
    fake.seed(definition);
    const images = imagesOf(connection);
    for (const name of ['changed', 'again', 'refused', 'gone', 'plain'])
      await images.create(aVMDiskImage({ metadata: { name, namespace: 'default' } }));
    const judged = (await images.list()).items;
    await images.mergePatch({ namespace: 'default', name: 'changed' }, { metadata: { labels: { used: 'yes' } } });
    for (const name of ['again', 'gone']) await images.delete({ namespace: 'default', name });
    await images.create(aVMDiskImage({ metadata: { name: 'again', namespace: 'default' } }));
    const going = judged.map((image: VMDiskImage) => ({ image, why: '', bytes: 0 }));
    const pruned = await deleteImages(connection, going, AbortSignal.timeout(10_000));
    assert.deepEqual(Object.fromEntries(pruned.map(({ candidate, problem }) => [candidate.image.metadata.name, problem])), {
      changed: 'it was changed meanwhile; look again.',
      again: 'it was changed meanwhile; look again.',
      refused: words,
      gone: undefined,
      plain: undefined,
    });
    const left = (await images.list()).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(left.toSorted(), ['again', 'changed', 'refused']);
  } finally {
    await fake.close();
  }
});

test('what a person was not shown is not deleted, and each that was shown has an outcome', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  fake.seed(definition);
  const images = imagesOf(connection);
  const add = (name: string) => images.create(aVMDiskImage({ metadata: { name, namespace: 'default' } }));
  const candidates = async () => (await images.list()).items.map((image) => ({ image, why: '', bytes: 0 }));
  for (const name of ['a', 'b']) await add(name);
  const shown = await candidates();
  const look = async () => {
    await add('c');
    const [a, b, c] = await candidates();
    return { going: [a!, c!], kept: [{ image: b!.image, kind: 'in use', why: 'used by lab/vm' } as const] };
  };
  const pruned = await pruneShown(connection, shown, look, AbortSignal.timeout(10_000));
  assert.deepEqual(Object.fromEntries(pruned.map(({ candidate, problem }) => [candidate.image.metadata.name, problem])), {
    a: undefined,
    b: 'used by lab/vm.',
  });
  const left = (await images.list()).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(left.toSorted(), ['b', 'c']);
});
