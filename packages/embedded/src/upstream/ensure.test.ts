import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ensureUpstream } from './ensure.ts';

const body = JSON.stringify({ definitions: [], nodeStages: [], nodeRole: {} });
const checked = `${createHash('sha256').update(body).digest('hex')}\n${body}`;

test('ready-made files need neither Go nor a cache', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'upstream.json'), checked);
  assert.deepEqual(await ensureUpstream({ binaries: directory, cacheDirectory: directory, env: {} }), JSON.parse(body));
});

test('a file that broke off is as good as none', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'upstream.json'), checked.slice(0, -1));
  await assert.rejects(ensureUpstream({ binaries: directory, cacheDirectory: directory, env: {} }), { code: 'GoMissing' });
});
