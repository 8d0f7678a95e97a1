import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { DiskServer } from './disk-server.ts';

const mebibyte = 1024 ** 2;
const content = randomBytes(2 * mebibyte);

async function served(t: TestContext): Promise<{ server: DiskServer; url: string; file: string }> {
  const file = join(temporaryDirectory(t), 'disk');
  writeFileSync(file, content);
  const server = await DiskServer.start({ host: '127.0.0.1' });
  t.after(() => server.close());
  return { server, file, url: server.put('disk', file) };
}

const get = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(url, { headers: { connection: 'close', ...headers }, method });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
};

test('sends whole disks, parts of them, and their size alone; counts all of it', async (t) => {
  const { server, url } = await served(t);
  const whole = await get(url);
  assert.deepEqual([whole.status, whole.bytes.equals(content)], [200, true]);
  const part = await get(url, { range: 'bytes=10-19' });
  assert.deepEqual([part.status, part.bytes.equals(content.subarray(10, 20))], [206, true]);
  assert.equal(part.headers.get('content-range'), `bytes 10-19/${content.length}`);
  const head = await get(url, {}, 'HEAD');
  assert.deepEqual([head.status, head.bytes.length, head.headers.get('content-length')], [200, 0, String(content.length)]);
  assert.equal((await get(url, { range: `bytes=${content.length}-` })).status, 416);
  assert.deepEqual(server.traffic('disk'), { requests: 4, bytes: content.length + 10 });
  assert.equal(server.mostDisksAtOnce, 1);
});

test('answers what it is told to, and nothing for a name that was never served', async (t) => {
  const { server, url } = await served(t);
  server.behave('disk', { status: 403 });
  assert.equal((await get(url)).status, 403);
  assert.deepEqual(server.traffic('disk'), { requests: 1, bytes: 0 });
  assert.equal((await get(`${server.origin}/other`)).status, 404);
  assert.throws(() => server.traffic('other'), { message: 'no disk called other is served' });
  assert.equal((await get(url, {}, 'DELETE')).status, 405);
});

test('cuts a connection after so many bytes', async (t) => {
  const { server, url } = await served(t);
  server.behave('disk', { cutAfterBytes: mebibyte });
  await assert.rejects(get(url));
  assert.deepEqual(server.traffic('disk'), { requests: 1, bytes: mebibyte });
});

test('a slow download ends when nobody wants it any more, and its disk counts as one until then', async (t) => {
  const { server, url, file } = await served(t);
  server.behave('disk', { bytesPerSecond: 64 * 1024 });
  const other = server.put('other', file, { bytesPerSecond: 64 * 1024 });
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const [first, second] = await Promise.all(controllers.slice(0, 2).map(({ signal }) => fetch(url, { signal })));
  assert.equal(server.mostDisksAtOnce, 1);
  const bodies = [first!, second!, await fetch(other, { signal: controllers[2]!.signal })];
  assert.equal(server.mostDisksAtOnce, 2);
  for (const controller of controllers) controller.abort();
  await Promise.all(bodies.map((body) => assert.rejects(body.arrayBuffer())));
  assert.ok(server.traffic('disk').bytes < content.length);
});

test('holds a download back until told otherwise or nobody wants it, and tells of what it sends', async (t) => {
  const { server, url } = await served(t);
  const held = async (times: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = server.onTraffic(() => {
      if (server.traffic('disk').bytes === times * mebibyte) resolve();
    });
    await promise;
    end();
  };
  server.behave('disk', { holdAfterBytes: mebibyte });
  const leaver = new AbortController();
  const left = assert.rejects(fetch(url, { signal: leaver.signal }).then((response) => response.arrayBuffer()));
  await held(1);
  leaver.abort();
  await left;
  const whole = get(url);
  await held(2);
  // Others are served meanwhile.
  await get(url, { range: 'bytes=0-9' });
  assert.deepEqual(server.traffic('disk'), { requests: 3, bytes: 2 * mebibyte + 10 });
  server.behave('disk', {});
  assert.ok((await whole).bytes.equals(content));
  assert.equal(server.traffic('disk').bytes, mebibyte + 10 + content.length);
});

test('passes requests on to another server, and its answers back', async (t) => {
  const { server: origin } = await served(t);
  const front = await DiskServer.start({ host: '127.0.0.1' });
  t.after(() => front.close());
  const url = front.forward('disk', origin.origin);
  const whole = await get(url);
  assert.deepEqual([whole.status, whole.bytes.equals(content)], [200, true]);
  assert.equal((await get(url, { range: 'bytes=0-9' })).status, 206);
  assert.deepEqual(front.traffic('disk'), { requests: 2, bytes: content.length + 10 });
  assert.deepEqual(origin.traffic('disk'), { requests: 2, bytes: content.length + 10 });
  front.behave('disk', { cutAfterBytes: 1000 });
  await assert.rejects(get(url));
  assert.equal(front.traffic('disk').bytes, content.length + 1010);
});
