import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { identifierOf } from '../volume/identifier.ts';
import type { VolumeRecord } from '../volume/record.ts';
import { type Disk, realDisk } from './disk.ts';
import { Store } from './store.ts';

const mebibyte = 1024 ** 2;
const record: VolumeRecord = { name: 'a', mode: 'block', source: null };
const id = identifierOf('volume', 'a');
/** As the real one, but without programs of the system. */
const plainDisk: Disk = { ...realDisk, format: async () => {}, copyImage: (from, to) => copyFile(from, to) };

function openStore(t: TestContext, disk = plainDisk): Promise<Store> {
  return Store.open(temporaryDirectory(t), disk);
}

test('what was created is there for the next process, with the size of its image', async (t) => {
  const store = await openStore(t);
  await store.createVolume(id, record, 2 * mebibyte, undefined);
  const again = await Store.open(store.root, plainDisk);
  const image = join(store.root, 'volumes', id, 'image');
  assert.deepEqual(await again.volumes(), [{ ...record, id, image, sizeBytes: 2 * mebibyte }]);
});

test('a copy has the bytes of its source, and zeros where it is longer', async (t) => {
  const store = await openStore(t);
  const source = await store.createVolume(id, record, mebibyte, undefined);
  writeFileSync(source.image, Buffer.alloc(mebibyte, 'x'));
  const copyId = identifierOf('volume', 'b');
  const copy = await store.createVolume(copyId, { ...record, name: 'b', source: { volume: id } }, 2 * mebibyte, source);
  assert.deepEqual(await readFile(copy.image), Buffer.concat([Buffer.alloc(mebibyte, 'x'), Buffer.alloc(mebibyte)]));
});

test('a step that fails leaves nothing behind', async (t) => {
  for (const step of ['makeImage', 'writeFile', 'move'] as const) {
    const store = await openStore(t, { ...plainDisk, [step]: () => Promise.reject(new Error(`no ${step}`)) });
    await assert.rejects(store.createVolume(id, record, mebibyte, undefined), new RegExp(`no ${step}`));
    assert.deepEqual(readdirSync(join(store.root, 'work')), []);
    assert.equal(await store.volume(id), undefined);
  }
});

test('what was left half done is removed when the store is opened', async (t) => {
  const { root } = await openStore(t);
  mkdirSync(join(root, 'work', 'half'));
  writeFileSync(join(root, 'work', 'half', 'image'), 'x');
  await Store.open(root, plainDisk);
  assert.deepEqual(readdirSync(join(root, 'work')), []);
});

test('an image never becomes shorter', async (t) => {
  const store = await openStore(t);
  const volume = await store.createVolume(id, record, 2 * mebibyte, undefined);
  await store.growVolume(volume, mebibyte);
  assert.equal((await store.volume(id))?.sizeBytes, 2 * mebibyte);
});

test('other files among the volumes are not volumes', async (t) => {
  const store = await openStore(t);
  mkdirSync(join(store.root, 'volumes', 'lost+found'));
  assert.deepEqual(await store.volumes(), []);
  assert.equal(await store.volume('../snapshots'), undefined);
});
