import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf } from './disks.ts';

test('a path of a URL stays below the directory', () => {
  assert.equal(fileOf('/home/s3', 'bucket/key.qcow2'), '/home/s3/bucket/key.qcow2');
  for (const path of ['../key', 'bucket/../../key', '..', '']) assert.throws(() => fileOf('/home/s3', path), /leads out of/);
});
