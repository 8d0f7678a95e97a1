import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lookout } from './lookout.ts';

const options = { patienceMs: 60_000, complaint: () => 'it never came' };

test('what is the case already is not waited for', async () => {
  assert.equal(await new Lookout().until(() => 'there', options), 'there');
});

test('what becomes the case is seen at the change, once', async () => {
  const lookout = new Lookout();
  let [value, looks] = [0, 0];
  const seen = lookout.until(() => {
    looks++;
    return value === 2 && value;
  }, options);
  for (value = 1; value <= 3; value++) lookout.changed();
  assert.deepEqual([await seen, looks], [2, 3]);
});

test('what never is the case ends with the complaint', async () => {
  const seen = new Lookout().until(() => undefined, { ...options, patienceMs: 1 });
  await assert.rejects(seen, /^Error: it never came$/);
});

test('a look that throws ends the waiting with what it threw', async () => {
  const lookout = new Lookout();
  let isBroken = false;
  const seen = lookout.until(() => {
    if (isBroken) throw new TypeError('no such field');
    return undefined;
  }, options);
  isBroken = true;
  lookout.changed();
  await assert.rejects(seen, /^TypeError: no such field$/);
});
