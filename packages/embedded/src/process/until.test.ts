import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './until.ts';

test('the first answer is returned', async () => {
  let asked = 0;
  assert.equal(await until('x', async () => (++asked === 3 ? 'yes' : undefined), { timeoutMs: 5000, everyMs: 1 }), 'yes');
  assert.equal(asked, 3);
});

test('when time is up the sentence says what was missing', async () => {
  await assert.rejects(
    until('the end of the world', async () => undefined, { timeoutMs: 5, everyMs: 1, missing: () => 'it still turns' }),
    {
      message: 'the end of the world did not happen within 0.005 s: it still turns',
    },
  );
});

test('an aborted signal ends the waiting', async () => {
  await assert.rejects(
    until('x', async () => undefined, { timeoutMs: 5000, signal: AbortSignal.abort() }),
    { name: 'AbortError' },
  );
});

test('an error of the question is passed on', async () => {
  await assert.rejects(
    until('x', async () => Promise.reject(new Error('no')), { timeoutMs: 5000 }),
    { message: 'no' },
  );
});
