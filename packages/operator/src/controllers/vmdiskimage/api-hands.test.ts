import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiRequest, type ApiTransport, Writer } from '@terrain/runtime';
import { aCut, anImage, aVolume } from '#testing/image-world.ts';
import { handsOf } from './api-hands.ts';
import type { Hands } from './hands.ts';

/** Hands whose requests are kept and answered with nothing. */
function recorded(): { hands: Hands; requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  const request = async <T>(asked: ApiRequest): Promise<T> => {
    requests.push(asked);
    return { metadata: {} } as T;
  };
  const api = { request, exchange: async (asked: ApiRequest) => ({ body: await request(asked) }) } as unknown as ApiTransport;
  const { signal } = new AbortController();
  return { hands: handsOf(new Writer({ api, fieldManager: 'test', signal }), api, signal), requests };
}

const deletions: Record<string, { act: (hands: Hands) => Promise<unknown>; want: { uid?: string; resourceVersion?: string } }> = {
  'a DataVolume, in whatever version': {
    act: (hands) => hands.deleteDataVolume(aVolume()),
    want: { uid: 'volume-1' },
  },
  'a snapshot, in whatever version': { act: (hands) => hands.deleteSnapshot(aCut()), want: { uid: 'cut-1-1' } },
  'an image, in the very version that was judged': {
    act: (hands) => hands.deleteImage(anImage()),
    want: { uid: anImage().metadata.uid, resourceVersion: anImage().metadata.resourceVersion },
  },
};

for (const [name, { act, want }] of Object.entries(deletions))
  test(`a deletion names the very object: ${name}`, async () => {
    const { hands, requests } = recorded();
    await act(hands);
    const sent = requests.map(({ method, body }) => [method, (body as { preconditions?: unknown }).preconditions]);
    assert.deepEqual(JSON.parse(JSON.stringify(sent)), [['DELETE', want]]);
  });

test('a DataVolume is deleted in the background: in the foreground importer and scratch claim would wait for each other', async () => {
  const { hands, requests } = recorded();
  await hands.deleteDataVolume(aVolume());
  assert.deepEqual(
    requests.map(({ body }) => (body as { propagationPolicy?: string }).propagationPolicy),
    ['Background'],
  );
});
