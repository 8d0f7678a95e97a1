import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anImage, readyStatus } from '../testing/image.ts';
import { renderList } from './list.ts';

const nowMs = Date.parse('2026-01-01T05:00:00Z');
const images = [
  anImage('a', { status: { ...readyStatus, references: 3, message: 'fine\x1b[2J\nreally' } }),
  anImage('b'),
  anImage('c', { metadata: { deletionTimestamp: '2026-01-01T04:00:00Z' }, status: { phase: 'Queued', message: 'waits' } }),
];

test('one line for each image, whatever its message contains', () => {
  assert.equal(
    renderList(images, { nowMs, isWide: false, hasNamespaces: false }),
    [
      'NAME  PHASE      PROGRESS  REFERENCES  AGE  MESSAGE',
      'a     Succeeded  100%      3           5h   fine [2J really',
      'b     -          -         -           5h   the operator has not seen it yet',
      'c     Deleting   -         -           5h   waits',
      '',
    ].join('\n'),
  );
});

test('wide adds size, snapshot and source; all namespaces add the namespace', () => {
  const [head, first] = renderList(images.slice(0, 1), { nowMs, isWide: true, hasNamespaces: true }).split('\n');
  assert.deepEqual(head?.split(/ {2,}/), [
    'NAMESPACE',
    'NAME',
    'PHASE',
    'PROGRESS',
    'REFERENCES',
    'AGE',
    'SIZE',
    'SNAPSHOT',
    'SOURCE',
    'MESSAGE',
  ]);
  assert.match(first ?? '', /^farm +a .* 10Gi +a-snap +https:\/\/images\.example\.com\/debian\.qcow2 +fine/);
});
