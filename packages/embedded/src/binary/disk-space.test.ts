import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { freeBytes, requireSpace } from './disk-space.ts';

test('space is measured where a directory will be, even before it exists', async (t) => {
  const directory = temporaryDirectory(t);
  assert.ok((await freeBytes(join(directory, 'not', 'yet', 'there'))) > 0);
});

test('enough space passes, too little is refused with both numbers', async () => {
  await requireSpace('/x', 100, async () => 100);
  await assert.rejects(
    requireSpace('/x', 6e9, async () => 1.5e9),
    {
      code: 'NoDiskSpace',
      message:
        'Building Kubernetes needs about 6.0 GB of disk space and /x has 1.5 GB left: free some, or point GOCACHE, GOMODCACHE and TERRAIN_CACHE to a larger disk.',
    },
  );
});
