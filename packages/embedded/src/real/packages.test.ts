import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { type NodeUser, nodeObstacle } from './packages.ts';

const root: NodeUser = { platform: 'linux', uid: 0, path: '/nonexistent' };

const cases: Record<string, { given: { missing: string[]; user: NodeUser }; want: string | undefined }> = {
  'another system': {
    given: { missing: [], user: { ...root, platform: 'darwin' } },
    want: 'A real node needs Linux: leave out --real to use simulated nodes.',
  },
  'not root': {
    given: { missing: ['runc'], user: { ...root, uid: 1000 } },
    want: 'A real node needs root, for containers, networks and mounts: run this with sudo, or leave out --real to use simulated nodes.',
  },
  'no apt to install what is missing': {
    given: { missing: ['containerd', 'runc'], user: root },
    want: 'A real node needs containerd, runc, and there is no apt-get to install them: install them by hand, or leave out --real to use simulated nodes.',
  },
  'no apt, and nothing is missing': { given: { missing: [], user: root }, want: undefined },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`why there can be no real node: ${name}`, () => assert.equal(nodeObstacle(given.missing, given.user), want));
}

test('what is missing is no obstacle where apt-get is', (t) => {
  const path = join(temporaryDirectory(t), 'bin');
  mkdirSync(path);
  writeFileSync(join(path, 'apt-get'), '', { mode: 0o755 });
  assert.equal(nodeObstacle(['runc'], { ...root, path }), undefined);
});
