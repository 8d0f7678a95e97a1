import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ApiRequest, type ApiTransport, Writer } from '@terrain/runtime';
import type { LedgerPort } from '#ledger/port.ts';
import { aCut, anImage, aVolume } from '#testing/image-world.ts';
import { eyesOn, handsOf } from './api-hands.ts';
import type { Eyes, Hands } from './hands.ts';

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

/** A pod that fills a claim, and claims by name with the claim each is filled for. */
type Filling = { readonly fills: Owner; readonly temporary?: Readonly<Record<string, Owner>> };
type Owner = { readonly name: string; readonly uid: string };

const ownedBy = ({ name, uid }: Owner) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid, controller: true }],
});

/** Eyes on a namespace with one importer. */
function seeing({ fills, temporary = {} }: Filling): Eyes {
  const request = async <T>({ path }: ApiRequest): Promise<T> => {
    if (path.endsWith('/pods')) return { metadata: {}, items: [{ metadata: { name: 'importer', ...ownedBy(fills) } }] } as T;
    const owner = temporary[path.slice(path.lastIndexOf('/') + 1)];
    if (owner === undefined) throw new ApiError(404, { reason: 'NotFound', message: 'not found', code: 404 }, path);
    return { metadata: ownedBy(owner) } as T;
  };
  const api = { request, exchange: async (asked: ApiRequest) => ({ body: await request(asked) }) } as unknown as ApiTransport;
  return eyesOn(api, {} as LedgerPort);
}

const disk = { name: 'disk', uid: 'ours' };
const foreign = { name: 'disk', uid: 'foreign' };
const prime = { name: 'prime', uid: 'p' };
const importers: Record<string, { given: Filling; want: boolean }> = {
  'of the claim of this name': { given: { fills: disk }, want: true },
  'of another claim': { given: { fills: { name: 'other', uid: 'o' } }, want: false },
  'of a temporary claim for the claim of this name': { given: { fills: prime, temporary: { prime: disk } }, want: true },
  "of somebody else's claim of this name": { given: { fills: foreign }, want: false },
  "of a temporary claim for somebody else's claim of this name": {
    given: { fills: prime, temporary: { prime: foreign } },
    want: false,
  },
};
for (const [name, { given, want }] of Object.entries(importers))
  test(`an importer is one of ours, or is not: ${name}`, async () =>
    assert.equal(
      (await seeing(given).importer('ns', 'disk', new AbortController().signal, 'foreign'))?.kind,
      want ? 'Pod' : undefined,
    ));

test('without a claim of somebody else every importer of this name is ours', async () =>
  assert.equal((await seeing({ fills: foreign }).importer('ns', 'disk', new AbortController().signal))?.kind, 'Pod'));
