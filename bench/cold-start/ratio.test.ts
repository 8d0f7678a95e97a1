import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratioOfWork } from './ratio.ts';

test('who runs on alone does twice as much in that time', () => {
  assert.equal(ratioOfWork(100, 100), 1);
  // 50 s alone are as much as 100 s together.
  assert.equal(ratioOfWork(150, 100), 2);
  assert.equal(ratioOfWork(100, 150), 0.5);
});
