import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { groups, moduleRoot } from '#binary/group.ts';
import { requiredModules } from '#upstream/module.ts';
import { cdiImageName, cdiVersion } from './cdi-images.ts';

test('programs, images and definitions are of one version', () => {
  const pinned = (module: string) =>
    requiredModules(readFileSync(join(moduleRoot, module, 'go.mod'), 'utf8')).find(
      ({ path }) => path === 'kubevirt.io/containerized-data-importer',
    )?.version;
  assert.deepEqual([pinned('cdi'), pinned('upstream')], [`v${cdiVersion}`, `v${cdiVersion}`]);
  assert.ok(groups.cdi.title.includes(cdiVersion));
  assert.equal(cdiImageName('importer'), `localhost/terrain/cdi-importer:v${cdiVersion}`);
});
