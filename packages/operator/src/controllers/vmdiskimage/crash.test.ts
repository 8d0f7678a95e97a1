import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Life, type Mishap, playLife } from '#testing/model/life.ts';

const moments = ['before', 'applied', 'answered', 'lost'] as const;

function assertSame(life: Life, calm: Life, what: string): void {
  assert.deepEqual(life.made, calm.made, `other objects were made with a mishap ${what}`);
  assert.deepEqual(life.removed, calm.removed, `other objects were removed with a mishap ${what}`);
  assert.deepEqual(life.results, calm.results, `attempts ended otherwise with a mishap ${what}`);
}

test('a life of images is the same whichever write the operator dies at, or has no answer to', async (t) => {
  const calm = await playLife();
  assert.deepEqual(await playLife(), calm, 'two calm lives are the same, or comparing with one would mean nothing');
  t.diagnostic(`${calm.writes.length} writes: ${calm.writes.join(', ')}`);
  for (const [index, write] of calm.writes.entries())
    for (const when of moments) {
      const life = await playLife([{ nth: index + 1, when }]);
      assertSame(life, calm, `${when} write ${index + 1}, ${write}`);
    }
});

test('nor does a second mishap while it recovers from the first', async () => {
  const calm = await playLife();
  for (const [index, write] of calm.writes.entries()) {
    const when = moments[index % moments.length]!;
    const second: Mishap = { nth: 1 + (index % 3), when: moments[(index >> 2) % moments.length]! };
    const life = await playLife([{ nth: index + 1, when }, second]);
    assertSame(life, calm, `${when} write ${index + 1}, ${write}, and ${second.when} write ${second.nth} after it`);
  }
});
