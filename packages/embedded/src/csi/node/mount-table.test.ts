import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountsOf } from './host.ts';
import { mountAt, parseMounts } from './mount-table.ts';

const table = parseMounts(
  [
    '22 1 254:0 / / rw,relatime - ext4 /dev/root rw',
    '25 22 0:5 / /dev rw,relatime - devtmpfs devtmpfs rw',
    '40 22 7:3 / /stage\\040one rw,relatime shared:5 - ext4 /dev/loop3 rw,discard',
    '41 22 7:3 / /target ro,relatime shared:5 - ext4 /dev/loop3 rw,discard',
    '42 22 0:5 /loop4 /device rw,relatime - devtmpfs devtmpfs rw',
    '43 22 7:30 / /other rw,relatime - ext4 /dev/loop30 rw',
    '44 43 7:3 / /other rw,relatime - ext4 /dev/loop3 rw',
    '',
  ].join('\n'),
);
const device = (number: number) => ({ path: `/dev/loop${number}`, number: `7:${number}`, image: '/image' });

test('the mounts of a device are those of its file system and of the device itself, and of no other', () => {
  assert.deepEqual(
    mountsOf(device(3), table).map(({ path, isReadOnly }) => [path, isReadOnly]),
    [
      ['/stage one', false],
      ['/target', true],
      ['/other', false],
    ],
  );
  assert.deepEqual(
    mountsOf(device(4), table).map(({ path }) => path),
    ['/device'],
  );
  assert.deepEqual(mountsOf(device(0), table), []);
});

test('of two mounts on one path the later one is seen', () => {
  assert.equal(mountAt(table, '/other')?.device, '7:3');
  assert.equal(mountAt(table, '/nowhere'), undefined);
});
