import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { RegistryServer } from './registry-server.ts';

const mediaType = 'application/vnd.oci.image.manifest.v1+json';
const [manifest, layer] = ['1', '2'].map((digit) => digit.repeat(64));

async function registryOf(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'blobs', 'sha256'), { recursive: true });
  writeFileSync(join(directory, 'index.json'), JSON.stringify({ manifests: [{ digest: `sha256:${manifest}`, mediaType }] }));
  writeFileSync(join(directory, 'blobs', 'sha256', manifest!), '{"layers":[]}');
  writeFileSync(join(directory, 'blobs', 'sha256', layer!), 'bytes');
  const server = await RegistryServer.start('127.0.0.1', new Map([['quay.io/containerdisks/debian:12', directory]]));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

test('an image is found by name and tag, and its parts by their digests', async (t) => {
  const origin = await registryOf(t);
  assert.equal((await fetch(`${origin}/v2/`)).status, 200, 'it says that it is a registry');
  const answer = await fetch(`${origin}/v2/quay.io/containerdisks/debian/manifests/12`);
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type'), answer.headers.get('docker-content-digest'), await answer.text()],
    [200, mediaType, `sha256:${manifest}`, '{"layers":[]}'],
  );
  const blob = await fetch(`${origin}/v2/quay.io/containerdisks/debian/blobs/sha256:${layer}`);
  assert.deepEqual([await blob.text(), blob.headers.get('docker-content-digest')], ['bytes', `sha256:${layer}`]);
  const head = await fetch(`${origin}/v2/quay.io/containerdisks/debian/blobs/sha256:${layer}`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '5']);
});

test('what is not there is not found, nothing outside of images is read, and nothing can be written', async (t) => {
  const origin = await registryOf(t);
  const cases: Record<string, number> = {
    '/v2/quay.io/containerdisks/debian/manifests/13': 404,
    '/v2/quay.io/containerdisks/debian/manifests/..%2f..%2findex.json': 404,
    [`/v2/quay.io/containerdisks/debian/blobs/sha256:${'3'.repeat(64)}`]: 404,
    '/v2/quay.io/containerdisks/debian/blobs/sha256:../../index.json': 404,
    '/etc/passwd': 404,
  };
  for (const [path, want] of Object.entries(cases)) assert.equal(await statusOf(origin, path), want, path);
  assert.equal((await fetch(`${origin}/v2/x/blobs/uploads/`, { method: 'POST' })).status, 405);
});

/** With the path as it is: `fetch` would resolve the dots. */
function statusOf(origin: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    get({ hostname, port, path, agent: false }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
  });
}
