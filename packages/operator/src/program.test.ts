import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('./main.ts', import.meta.url));

test('settings that make no sense end the program with a sentence and no stack trace', () => {
  const env = { ...process.env, TERRAIN_WORKERS: 'many' };
  const { status, stderr, stdout } = spawnSync(process.execPath, [entry, '--fast'], { env, encoding: 'utf8' });
  assert.deepEqual(
    { status, stdout, stderr },
    {
      status: 2,
      stdout: '',
      stderr:
        'terrain-operator: there is no flag --fast; there are --no-leader-election, --pod-range=CIDR and --service-range=CIDR; TERRAIN_WORKERS is "many", expected a whole number from 1 to 256\n',
    },
  );
});
