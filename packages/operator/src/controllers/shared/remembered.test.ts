import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembered } from './remembered.ts';

test('what was made is given again for the same part and arguments, and only then', () => {
  let times = 0;
  const make = remembered((part: { readonly name: string }, suffix: string) => ({ text: `${part.name}${suffix}`, is: ++times }));
  const part = { name: 'a' };
  assert.equal(make(part, '1'), make(part, '1'));
  assert.deepEqual(make(part, '2'), { text: 'a2', is: 2 });
  assert.deepEqual(make({ name: 'a' }, '2'), { text: 'a2', is: 3 });
  assert.deepEqual(make(part, '1'), { text: 'a1', is: 4 });
});
