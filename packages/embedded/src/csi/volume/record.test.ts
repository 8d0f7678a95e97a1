import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameSource, parseRecord, recordText, type VolumeRecord } from './record.ts';

const record: VolumeRecord = { name: 'pvc-1', mode: 'block', source: { snapshot: 'snap-1' } };

test('a record is read as it was written', () => {
  assert.deepEqual(parseRecord<VolumeRecord>(recordText(record), 'record.json'), record);
});

test('a damaged record and one of another version are refused with the path', () => {
  assert.throws(() => parseRecord('{', '/v/record.json'), { code: 'Internal', message: /^\/v\/record.json is damaged/ });
  assert.throws(() => parseRecord('{"format":2,"name":"x"}', '/v/record.json'), { code: 'Internal', message: /another version/ });
  assert.throws(() => parseRecord('null', '/v/record.json'), { code: 'Internal', message: /another version/ });
});

test('sources are compared by what they name', () => {
  assert.ok(isSameSource(null, null) && isSameSource({ volume: 'a' }, { volume: 'a' }));
  assert.ok(!isSameSource({ volume: 'a' }, { snapshot: 'a' }) && !isSameSource(null, { volume: 'a' }));
});
