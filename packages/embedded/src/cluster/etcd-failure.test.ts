import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmbeddedErrorCode } from '#embedded-error.ts';
import { etcdFailure, etcdSilence } from './etcd-failure.ts';

const place = { data: '/h/etcd/data', home: '/h' };
const warning = '{"level":"warn","msg":"Running http and grpc server on single port. This is not recommended for production."}';

/** Words of etcd 3.6.8 for damage of each kind, collected by damaging its files. */
const cases: Record<string, { output: string[]; want: EmbeddedErrorCode; words: string }> = {
  'a database that was cut off': {
    output: [
      warning,
      '{"level":"error","logger":"bbolt","msg":"Opening bbolt db (data/member/snap/db) failed: file size too small 5000"}',
      '{"level":"panic","msg":"failed to open database","path":"data/member/snap/db","error":"file size too small 5000"}',
      'panic: failed to open database',
      '',
      'goroutine 102 [running]:',
    ],
    want: 'DataDamaged',
    words: '(failed to open database: file size too small 5000)',
  },
  'a log with a flipped bit': {
    output: [warning, '{"level":"fatal","msg":"discovery failed","error":"walpb: crc mismatch"}'],
    want: 'DataDamaged',
    words: '(discovery failed: walpb: crc mismatch)',
  },
  'a log that is garbage': {
    output: [warning, 'panic: cannot use none as id', '', 'goroutine 1 [running]:'],
    want: 'DataDamaged',
    words: '(cannot use none as id)',
  },
  'a database that ends in the middle of a page': {
    output: ['unexpected fault address 0x7f', 'fatal error: fault', 'goroutine 130 [running]:'],
    want: 'DataDamaged',
    words: '(fault)',
  },
  'a full disk': {
    output: ['{"level":"fatal","msg":"failed to create WAL","error":"write data/member/wal/0.tmp: no space left on device"}'],
    want: 'NoDiskSpace',
    words: 'free some space and start again',
  },
  'a directory of another user': {
    output: ['{"level":"fatal","msg":"cannot access data directory","error":"open data/.touch: permission denied"}'],
    want: 'ComponentFailed',
    words: 'make that directory yours and writable',
  },
  'no word at all': { output: [''], want: 'DataDamaged', words: '(it gave no reason)' },
};
for (const [name, { output, want, words }] of Object.entries(cases)) {
  test(`why etcd ended: ${name}`, () => {
    const error = etcdFailure(output.join('\n'), place);
    assert.equal(error.code, want);
    assert.ok(error.message.includes(words), error.message);
    if (want === 'DataDamaged') assert.match(error.message, /Nothing was deleted\. Restore .+ `terrain down --wipe --home \/h`/);
  });
}

test('etcd that runs but accepts nothing points to missing data', () => {
  const output =
    '{"level":"warn","msg":"failed to publish local member to cluster through raft","error":"etcdserver: request timed out"}';
  const error = etcdSilence(output, place);
  assert.equal(error.code, 'DataDamaged');
  assert.match(error.message, /^etcd runs but accepts no requests \(failed to publish .+ request timed out\)/);
});
