import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#clock/clock.ts';
import { Informers } from '#informer/informers.ts';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { until } from '../../test/until.ts';
import { OwnWrites } from './own-writes.ts';

const things = { group: '', version: 'v1', plural: 'things', namespaced: true };
const thing = (version: number, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'ns', name: 'a', uid: 'u', resourceVersion: `${version}`, labels },
});

/** Informers fed by hand: a list, then lines as the test sends them, to all or to those of one selector only. */
function fedBy(list: readonly KubeObject[]) {
  const streams = new Map<unknown, { lines: string[]; wake: () => void }>();
  const api = {
    request: async () => ({ metadata: { resourceVersion: '5' }, items: list }),
    async *streamBatches({ signal, query }: ApiRequest) {
      const stream = { lines: [] as string[], wake: (): void => undefined };
      streams.set(query?.labelSelector, stream);
      signal?.addEventListener('abort', () => stream.wake());
      while (signal?.aborted !== true) {
        if (stream.lines.length > 0) yield stream.lines.splice(0);
        await new Promise<void>((resolve) => {
          stream.wake = resolve;
        });
      }
    },
  } as unknown as ApiTransport;
  const send = (type: string, object: KubeObject, to = [...streams.keys()]): void => {
    for (const selector of to) {
      const stream = streams.get(selector);
      stream?.lines.push(JSON.stringify({ type, object }));
      stream?.wake();
    }
  };
  return { informers: new Informers({ api, clock: systemClock }), send };
}

test('a key waits for its write until the cache has that version or a newer one', async () => {
  const { informers, send } = fedBy([thing(5)]);
  await using _informers = informers;
  const informer = informers.get(things);
  informers.start();
  await informers.synced();
  const caughtUp: string[] = [];
  const writes = new OwnWrites(informers, (key) => caughtUp.push(key));
  writes.beginPass('k');
  writes.wrote('k', things, thing(7), true);
  writes.endPass('k');
  assert.equal(writes.isCaughtUp('k'), false);
  assert.equal(writes.isCaughtUp('other'), true);
  assert.equal(writes.heldBack, 1);
  send('MODIFIED', thing(6));
  await until('version 6', () => informer.store.resourceVersion === '6');
  assert.equal(writes.isCaughtUp('k'), false);
  assert.equal(writes.isEcho('k', thing(6)), false);
  assert.equal(writes.isEcho('k', thing(7)), true);
  send('MODIFIED', thing(8));
  await until('version 8', () => caughtUp.length === 1);
  assert.deepEqual(caughtUp, ['k']);
  assert.equal(writes.heldBack, 0);
});

test('a write that takes an object out of what an informer sees is waited for as well', async () => {
  const { informers, send } = fedBy([thing(5, { app: 'x' })]);
  await using _informers = informers;
  const informer = informers.get(things, { labelSelector: 'app=x' });
  informers.start();
  await informers.synced();
  const writes = new OwnWrites(informers, () => undefined);
  writes.wrote('k', things, thing(7, { app: 'y' }), true);
  assert.equal(writes.isCaughtUp('k'), false);
  send('DELETED', thing(7, { app: 'x' }));
  await until('leaving object', () => informer.store.size === 0);
  assert.equal(writes.isCaughtUp('k'), true);
});

test('a write that no informer will be told of is not waited for', async () => {
  const { informers } = fedBy([]);
  await using _informers = informers;
  informers.get(things, { namespace: 'elsewhere' });
  informers.start();
  await informers.synced();
  const writes = new OwnWrites(informers, () => undefined);
  writes.wrote('k', things, thing(7), true);
  writes.removed('k', things, thing(7));
  assert.equal(writes.isCaughtUp('k'), true);
});

test('a write after the end of a pass is waited for in each cache, also when one of them shows it already', async () => {
  const { informers, send } = fedBy([thing(5)]);
  await using _informers = informers;
  const quick = informers.get(things);
  const slow = informers.get(things, { labelSelector: 'app=x' });
  informers.start();
  await informers.synced();
  await until('both watches', () => [quick, slow].every(({ watchState }) => watchState === 'watching'));
  const caughtUp: string[] = [];
  const writes = new OwnWrites(informers, (key) => caughtUp.push(key));
  send('MODIFIED', thing(7, { app: 'x' }), [undefined]);
  await until('version 7', () => quick.store.resourceVersion === '7');
  writes.wrote('k', things, thing(7, { app: 'x' }), true);
  assert.deepEqual([writes.isCaughtUp('k'), writes.isEcho('k', thing(7)), caughtUp], [false, true, []]);
  send('ADDED', thing(7, { app: 'x' }), ['app=x']);
  await until('version 7', () => slow.store.resourceVersion === '7');
  assert.deepEqual([writes.isCaughtUp('k'), writes.isEcho('k', thing(7)), caughtUp], [true, false, ['k']]);
});

test('a removal after the end of a pass is waited for in each cache, also when one of them shows it already', async () => {
  const { informers, send } = fedBy([thing(5, { app: 'x' })]);
  await using _informers = informers;
  const quick = informers.get(things);
  const slow = informers.get(things, { labelSelector: 'app=x' });
  informers.start();
  await informers.synced();
  await until('both watches', () => [quick, slow].every(({ watchState }) => watchState === 'watching'));
  const caughtUp: string[] = [];
  const writes = new OwnWrites(informers, (key) => caughtUp.push(key));
  send('DELETED', thing(7, { app: 'x' }), [undefined]);
  await until('end of the object', () => quick.store.size === 0);
  writes.removed('k', things, thing(5, { app: 'x' }));
  assert.deepEqual([writes.isCaughtUp('k'), caughtUp], [false, []]);
  send('DELETED', thing(7, { app: 'x' }), ['app=x']);
  await until('end of the object', () => slow.store.size === 0);
  assert.deepEqual([writes.isCaughtUp('k'), caughtUp], [true, ['k']]);
});

test('a write after the end of a pass that no cache will show is forgotten at once', async () => {
  const { informers } = fedBy([]);
  await using _informers = informers;
  const writes = new OwnWrites(informers, () => undefined);
  writes.wrote('k', things, thing(7), true);
  assert.equal(writes.isEcho('k', thing(7)), false);
});
