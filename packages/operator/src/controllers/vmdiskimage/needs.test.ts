import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { anImage } from '#testing/image-world.ts';
import type { Eyes } from './hands.ts';
import { Needs } from './needs.ts';
import type { StoredImage } from './snapshot.ts';

const imageNamed = (name: string, spec: Override<VMDiskImage['spec']>): StoredImage => anImage({ metadata: { name }, spec });
const s3 = { sourceType: 's3', secretRef: 'keys' } as const;
const { signal } = new AbortController();

/** Nothing of what is needed exists, and reading takes until somebody says so. */
class Rig {
  readonly watched = new Map<string, readonly string[]>();
  readonly needs: Needs;
  answer: Promise<undefined> = Promise.resolve(undefined);

  constructor() {
    const eyes = { secret: () => this.answer, hasConfigMap: async () => false } as Partial<Eyes> as Eyes;
    this.needs = new Needs(eyes, {
      await: (key, objects) => {
        if (objects.length === 0) this.watched.delete(key);
        else
          this.watched.set(
            key,
            objects.map(({ name }) => name),
          );
      },
    });
  }

  reasonFor(image: StoredImage): string {
    const { secret } = this.needs.of(image);
    return typeof secret === 'object' ? secret.reason : secret;
  }
}

test('what is known of a Secret is kept as long as one image depends on it, and a watch as long as one waits for it', async () => {
  const rig = new Rig();
  const [a, b] = [imageNamed('a', s3), imageNamed('b', s3)];
  await rig.needs.check('farm/a', a, signal);
  rig.needs.keep('farm/b', b);
  assert.deepEqual([...rig.watched], [['farm/a', ['keys']]]);
  rig.needs.release('farm/a');
  assert.deepEqual([[...rig.watched], rig.reasonFor(b)], [[], 'SecretMissing']);
  rig.needs.release('farm/b');
  assert.equal(rig.reasonFor(b), 'unknown');
});

test('an image that needs another object, or none, holds nothing of the former', async () => {
  const rig = new Rig();
  await rig.needs.check('farm/a', imageNamed('a', { ...s3, certConfigMap: 'authority' }), signal);
  assert.deepEqual([...rig.watched], [['farm/a', ['keys', 'authority']]]);
  const other = imageNamed('a', { ...s3, secretRef: 'other' });
  await rig.needs.check('farm/a', other, signal);
  assert.deepEqual([[...rig.watched], rig.reasonFor(imageNamed('a', s3))], [[['farm/a', ['other']]], 'unknown']);
  rig.needs.keep('farm/a', imageNamed('a', {}));
  assert.deepEqual([[...rig.watched], rig.reasonFor(other)], [[], 'unknown']);
});

test('news of a Secret make it unknown to all who depend on it', async () => {
  const rig = new Rig();
  const [a, b] = [imageNamed('a', s3), imageNamed('b', s3)];
  await rig.needs.check('farm/a', a, signal);
  rig.needs.doubt(b);
  assert.equal(rig.reasonFor(a), 'unknown');
});

test('an image that went while its Secret was read leaves neither a watch nor a memory', async () => {
  const rig = new Rig();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  rig.answer = promise;
  const image = imageNamed('a', s3);
  const checked = rig.needs.check('farm/a', image, signal);
  rig.needs.release('farm/a');
  resolve(undefined);
  await checked;
  assert.deepEqual([[...rig.watched], rig.reasonFor(image)], [[], 'unknown']);
});

test('an image that went while its Secret was read leaves no watch either where another depends on the same', async () => {
  const rig = new Rig();
  const [a, b] = [imageNamed('a', s3), imageNamed('b', s3)];
  await rig.needs.check('farm/b', b, signal);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  rig.answer = promise;
  const checked = rig.needs.check('farm/a', a, signal);
  rig.needs.release('farm/a');
  resolve(undefined);
  await checked;
  assert.deepEqual([...rig.watched], [['farm/b', ['keys']]]);
});
