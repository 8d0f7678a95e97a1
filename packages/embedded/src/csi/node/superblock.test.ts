import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSystemBytes } from './superblock.ts';

function superblock(options: { blocks: number; high?: number; isLarge?: boolean }): Buffer {
  const bytes = Buffer.alloc(1024);
  bytes.writeUInt16LE(0xef53, 0x38);
  bytes.writeUInt32LE(2, 0x18);
  bytes.writeUInt32LE(options.blocks, 0x04);
  bytes.writeUInt32LE(options.high ?? 0, 0x150);
  bytes.writeUInt32LE(options.isLarge ? 0x80 : 0, 0x60);
  return bytes;
}

test('the size of a file system is its blocks times their size', () => {
  assert.equal(fileSystemBytes(superblock({ blocks: 4096 })), 16 * 1024 ** 2);
  assert.equal(fileSystemBytes(superblock({ blocks: 1, high: 1, isLarge: true })), (2 ** 32 + 1) * 4096);
  assert.equal(fileSystemBytes(superblock({ blocks: 1, high: 1 })), 4096, 'the high half means something else in a small one');
});

test('other bytes are no file system', () => {
  assert.equal(fileSystemBytes(Buffer.alloc(1024)), undefined);
  assert.equal(fileSystemBytes(Buffer.alloc(0)), undefined);
});
