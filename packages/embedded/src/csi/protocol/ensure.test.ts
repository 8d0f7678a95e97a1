import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fakeGo } from '#testing/fake-go.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ensureProtocol } from './ensure.ts';

/** A Go whose module cache, the same directory, has the two modules at the versions that are pinned. */
function machine(t: TestContext) {
  const directory = temporaryDirectory(t);
  const go = fakeGo(directory);
  for (const [path, text] of Object.entries({
    'github.com/container-storage-interface/spec@v1.12.0/csi.proto': 'package csi.v1;',
    'k8s.io/kubelet@v0.36.3/pkg/apis/pluginregistration/v1/api.proto': 'package pluginregistration;',
  })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const cacheDirectory = join(directory, 'cache');
  return { go, cacheDirectory, ensure: () => ensureProtocol({ cacheDirectory, env: go.env }) };
}

test('the descriptions are taken from their modules once, and then from the cache', async (t) => {
  const { go, cacheDirectory, ensure } = machine(t);
  const found = await ensure();
  assert.equal(readFileSync(join(found, 'csi.proto'), 'utf8'), 'package csi.v1;');
  assert.equal(readFileSync(join(found, 'pluginregistration.proto'), 'utf8'), 'package pluginregistration;');
  const calls = go.calls();
  assert.equal(await ensure(), found);
  assert.deepEqual(go.calls(), calls, 'no Go is needed any more');
  assert.equal(readdirSync(cacheDirectory).length, 1, 'nothing half made is left');
});

test('a description that somebody changed is taken again', async (t) => {
  const { ensure } = machine(t);
  writeFileSync(join(await ensure(), 'csi.proto'), 'changed');
  assert.equal(readFileSync(join(await ensure(), 'csi.proto'), 'utf8'), 'package csi.v1;');
});
