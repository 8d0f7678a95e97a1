import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Busy } from './busy.ts';

const isAborted = { code: 'Aborted' };

test('an object held alone is refused to all others, in a sentence that names both', () => {
  const busy = new Busy();
  using _first = busy.alone('vol-1', 'deleting volume vol-1');
  assert.throws(() => busy.reading('vol-1', 'taking snapshot s'), {
    ...isAborted,
    message: 'taking snapshot s has to wait: deleting volume vol-1 is under way. Ask again later.',
  });
  assert.throws(() => busy.alone('vol-1', 'deleting volume vol-1'), isAborted);
});

test('readers share, and keep a single user out until the last has ended', () => {
  const busy = new Busy();
  const one = busy.reading('vol-1', 'a');
  const other = busy.reading('vol-1', 'b');
  one[Symbol.dispose]();
  assert.throws(() => busy.alone('vol-1', 'c'), isAborted);
  other[Symbol.dispose]();
  busy.alone('vol-1', 'c')[Symbol.dispose]();
});

test('other objects are free, and so is one whose holder has ended', () => {
  const busy = new Busy();
  using _held = busy.alone('vol-1', 'a');
  busy.alone('vol-2', 'b')[Symbol.dispose]();
  using _again = busy.alone('vol-2', 'c');
});

test('releasing twice does not release another holder', () => {
  const busy = new Busy();
  const first = busy.alone('vol-1', 'a');
  first[Symbol.dispose]();
  using _second = busy.alone('vol-1', 'b');
  first[Symbol.dispose]();
  assert.throws(() => busy.alone('vol-1', 'c'), isAborted);
});
