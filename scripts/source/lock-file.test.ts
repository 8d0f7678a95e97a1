import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: true;
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const foreign = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);

test('the lock file names no registry, so that an install asks the one that its user has', () => {
  assert.deepEqual(
    foreign.filter(([, { resolved }]) => resolved?.startsWith('http')).map(([path, { resolved }]) => `${path}: ${resolved}`),
    [],
  );
});

test('the lock file has the hash of every package that is downloaded', () => {
  assert.ok(foreign.length > 0);
  assert.deepEqual(
    foreign.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path),
    [],
  );
});
