import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { directoryEntries, type Entry } from './entry.ts';
import { readImageIndex, writeImage } from './image.ts';

/** Name and content of each entry of an archive; enough of a reader for what our writer writes here. */
function entriesOf(archive: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; archive[at] !== 0; ) {
    const name = archive
      .subarray(at, at + 100)
      .toString()
      .split('\0')[0]!;
    const size = Number.parseInt(archive.subarray(at + 124, at + 135).toString(), 8);
    found.set(name, archive.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return found;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const entries: Entry[] = [{ kind: 'text', path: 'hello', text: 'world' }];

test('an archive holds what its index promises: every blob under its digest, the layer under both of its digests', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'x.tar');
  const config = { entrypoint: ['/hello'], user: '7', environment: { A: 'b' } };
  const { digest } = await writeImage(file, { name: 'localhost/x:1', layers: [entries], config });

  const blobs = entriesOf(readFileSync(file));
  for (const [name, bytes] of blobs) if (name.startsWith('blobs/')) assert.equal(name, `blobs/sha256/${sha256(bytes)}`);
  const blob = (digest: string) => blobs.get(`blobs/${digest.replace(':', '/')}`)!;
  const manifest = JSON.parse(blob(digest).toString());
  const layer = gunzipSync(blob(manifest.layers[0].digest));
  const written = JSON.parse(blob(manifest.config.digest).toString());
  assert.deepEqual(written.rootfs.diff_ids, [`sha256:${sha256(layer)}`]);
  assert.deepEqual([written.config.Entrypoint, written.config.User], [['/hello'], '7']);
  assert.ok(written.config.Env.includes('A=b'));
  assert.equal(entriesOf(layer).get('hello')?.toString(), 'world');
  assert.deepEqual(await readImageIndex(file), { name: 'localhost/x:1', digest });
  assert.deepEqual(readdirSync(directory), ['x.tar'], 'nothing else is left');
});

test('the same content gives the same bytes; other content gives another digest', async (t) => {
  const directory = temporaryDirectory(t);
  const write = (name: string, layers: Entry[][]) => writeImage(join(directory, name), { name: 'localhost/x:1', layers });
  const first = await write('a.tar', [entries]);
  assert.deepEqual(await write('b.tar', [entries]), first);
  assert.deepEqual(readFileSync(join(directory, 'a.tar')), readFileSync(join(directory, 'b.tar')));
  assert.notDeepEqual(await write('c.tar', [entries, entries]), first);
});

test('a directory goes in with its permissions and links, in the order of the names', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'b'));
  writeFileSync(join(directory, 'b', 'tool'), '');
  chmodSync(join(directory, 'b', 'tool'), 0o4755);
  chmodSync(join(directory, 'b'), 0o711);
  symlinkSync('b/tool', join(directory, 'a'));
  assert.deepEqual(await Array.fromAsync(directoryEntries(directory, 'opt')), [
    { kind: 'link', path: 'opt/a', target: 'b/tool' },
    { kind: 'directory', path: 'opt/b', mode: 0o711 },
    { kind: 'file', path: 'opt/b/tool', source: join(directory, 'b', 'tool'), mode: 0o4755 },
  ]);
});
