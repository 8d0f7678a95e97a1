import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ForeignObjectError } from '@terrain/runtime';
import { blockerOf } from './blocker.ts';
import { findingsOf } from './finding.ts';

const taken = findingsOf<'NameTaken'>().stuck('NameTaken', 'is of somebody else');
const options = { taken, terminating: 'Deleting' as const };
const refused = (code: number, reason: string, message: string): ApiError =>
  new ApiError(code, { reason, message }, 'POST /api/v1/secrets');
const foreign = (): ForeignObjectError => new ForeignObjectError({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' } });

test('a name of somebody else is told as asked', () => {
  assert.deepEqual(blockerOf(foreign(), 'Secret web', options), taken);
});

test('words that may be secret stay out of it', () => {
  const { message } = blockerOf(refused(422, 'Invalid', 'password hunter2 is too short'), 'Secret web', {
    ...options,
    words: false,
  });
  assert.equal(message, 'Secret web is refused: its words are in the log');
});

test('what is no refusal is thrown on', () => {
  const error = refused(500, 'InternalError', 'etcd is slow');
  assert.throws(() => blockerOf(error, 'Secret web', options), error);
});
