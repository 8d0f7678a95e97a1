import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressCounter } from './counter.ts';
import { serveEgress } from './server.ts';

const download = (dataVolume: string, started: number, bytes: number, url = 'https://h/x') => ({
  url,
  dataVolumeUid: dataVolume,
  dataVolume,
  started,
  bytes,
});

test('downloads of one address are added up over DataVolumes, and one seen twice counts once', () => {
  const counter = new EgressCounter();
  counter.record(download('a', 1, 10));
  counter.record(download('a', 2, 30));
  counter.record(download('a', 1, 10));
  counter.record(download('b', 1, 5));
  counter.record(download('c', 1, 7, 'https://h/y'));
  assert.deepEqual(counter.of('https://h/x'), { url: 'https://h/x', downloads: 3, bytes: 35, dataVolumes: ['a', 'b'] });
  assert.deepEqual(counter.of('https://h/z'), { url: 'https://h/z', downloads: 0, bytes: 0, dataVolumes: [] });
});

test('the count is served on this machine, for reading only', async () => {
  const counter = new EgressCounter();
  counter.record(download('a', 1, 10));
  const endpoint = await serveEgress(counter);
  try {
    assert.match(endpoint.url, /^http:\/\/127\.0\.0\.1:\d+\/egress$/);
    const answer = (await (await fetch(endpoint.url)).json()) as { urls: unknown };
    assert.deepEqual(answer.urls, [{ url: 'https://h/x', downloads: 1, bytes: 10, dataVolumes: ['a'] }]);
    assert.equal((await fetch(endpoint.url, { method: 'POST' })).status, 404);
    assert.equal((await fetch(new URL('/other', endpoint.url))).status, 404);
  } finally {
    await endpoint.close();
  }
});
