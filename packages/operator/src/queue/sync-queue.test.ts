import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IndexedHeap } from './indexed-heap.ts';
import { comparePlaces, parseTicket } from './order.ts';
import { SyncQueue, type Waiting } from './sync-queue.ts';

const aWaiting = (key: string, change: Partial<Waiting> = {}): Waiting => ({
  uid: key,
  key,
  namespace: key.split('/')[0] ?? '',
  queuedAtMs: 1000,
  ticket: 1n,
  attempt: 1,
  isSettled: true,
  ...change,
});

const all = { count: Number.POSITIVE_INFINITY, namespaceShare: 'off', held: new Map<string, number>() } as const;
const keys = (waiting: readonly Waiting[]): string[] => waiting.map(({ key }) => key);

const orders: Record<string, { given: readonly Waiting[]; want: readonly string[] }> = {
  'the time of queueing decides first': {
    given: [aWaiting('a/late', { queuedAtMs: 2000, ticket: 1n }), aWaiting('a/early', { queuedAtMs: 1000, ticket: 9n })],
    want: ['a/early', 'a/late'],
  },
  'the ticket decides within one instant, as a number and not as text': {
    given: [aWaiting('a/ten', { ticket: 10n }), aWaiting('a/nine', { ticket: 9n })],
    want: ['a/nine', 'a/ten'],
  },
  'tickets beyond 2^53 are told apart': {
    given: [aWaiting('a/y', { ticket: 9007199254740993n }), aWaiting('a/x', { ticket: 9007199254740992n })],
    want: ['a/x', 'a/y'],
  },
  'the name decides where all else is equal': {
    given: [aWaiting('b/a'), aWaiting('a/b'), aWaiting('a/a')],
    want: ['a/a', 'a/b', 'b/a'],
  },
};
for (const [name, { given, want }] of Object.entries(orders))
  test(name, () => {
    const queue = new SyncQueue();
    for (const waiting of given) queue.set(waiting);
    assert.deepEqual(keys(queue.choose(all)), want);
    assert.equal(queue.first?.key, want[0]);
  });

test('a ticket that is no number is the oldest', () => {
  assert.deepEqual(['7', undefined, '', 'x', '-1', '1'.repeat(21)].map(parseTicket), [7n, 0n, 0n, 0n, 0n, 0n]);
});

test('choosing removes nobody, and gives no more than there is room for', () => {
  const queue = new SyncQueue();
  for (const key of ['a/1', 'a/2', 'b/3']) queue.set(aWaiting(key));
  assert.deepEqual(keys(queue.choose({ ...all, count: 2 })), ['a/1', 'a/2']);
  assert.deepEqual(keys(queue.choose({ ...all, count: 0 })), []);
  assert.deepEqual(keys(queue.choose(all)), ['a/1', 'a/2', 'b/3']);
  assert.equal(queue.size, 3);
});

test('an image set again moves to its new place', () => {
  const queue = new SyncQueue();
  queue.set(aWaiting('a/1', { ticket: 1n }));
  queue.set(aWaiting('a/2', { ticket: 2n }));
  queue.set(aWaiting('a/1', { ticket: 3n }));
  assert.deepEqual(keys(queue.choose(all)), ['a/2', 'a/1']);
  assert.equal(queue.get('a/1')?.ticket, 3n);
});

test('a namespace with its share is passed over, and its images keep their places', () => {
  const queue = new SyncQueue();
  for (const [index, key] of ['a/1', 'a/2', 'a/3', 'b/4', 'b/5'].entries()) queue.set(aWaiting(key, { ticket: BigInt(index) }));
  const room = { count: 4, namespaceShare: 2, held: new Map([['a', 1]]) };
  assert.deepEqual(keys(queue.choose(room)), ['a/1', 'b/4', 'b/5']);
  assert.deepEqual(keys(queue.choose({ ...room, held: new Map([['a', 2]]) })), ['b/4', 'b/5']);
  assert.deepEqual(keys(queue.choose(all)), ['a/1', 'a/2', 'a/3', 'b/4', 'b/5']);
});

test('one that is not settled holds up all behind it, whatever their namespace', () => {
  const queue = new SyncQueue();
  queue.set(aWaiting('a/1', { ticket: 1n }));
  queue.set(aWaiting('b/2', { ticket: 2n, isSettled: false }));
  queue.set(aWaiting('c/3', { ticket: 3n }));
  assert.deepEqual(keys(queue.choose(all)), ['a/1']);
  queue.set(aWaiting('b/2', { ticket: 2n, isSettled: true }));
  assert.deepEqual(keys(queue.choose(all)), ['a/1', 'b/2', 'c/3']);
});

test('one that is not settled does not hold up others while its namespace has its share anyway', () => {
  const queue = new SyncQueue();
  queue.set(aWaiting('a/1', { ticket: 1n, isSettled: false }));
  queue.set(aWaiting('b/2', { ticket: 2n }));
  assert.deepEqual(keys(queue.choose({ count: 2, namespaceShare: 1, held: new Map([['a', 1]]) })), ['b/2']);
});

test('removing the last image of a namespace leaves nothing of it behind', () => {
  const queue = new SyncQueue();
  queue.set(aWaiting('a/1'));
  assert.equal(queue.remove('a/1'), true);
  assert.equal(queue.remove('a/1'), false);
  assert.deepEqual([queue.size, queue.first, queue.get('a/1')], [0, undefined, undefined]);
});

test('the heap agrees with a sorted list after any operations', () => {
  const operation = fc.record({ id: fc.integer({ min: 0, max: 20 }), value: fc.option(fc.integer({ min: 0, max: 50 })) });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const heap = new IndexedHeap<number>((a, b) => a - b);
      const model = new Map<string, number>();
      for (const { id, value } of operations) {
        const name = String(id);
        if (value === null) assert.equal(heap.remove(name), model.delete(name));
        else {
          heap.set(name, value);
          model.set(name, value);
        }
        assert.equal(heap.first, model.size === 0 ? undefined : Math.min(...model.values()));
        assert.equal(heap.size, model.size);
      }
    }),
    { numRuns: 60 },
  );
});

test('the queue agrees with sorting and filtering, after any operations and for any room', () => {
  const operation = fc.record({
    image: fc.integer({ min: 0, max: 11 }),
    at: fc.integer({ min: 0, max: 3 }),
    ticket: fc.bigInt({ min: 0n, max: 3n }),
    isRemoved: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(operation, { maxLength: 60 }),
      fc.integer({ min: 0, max: 8 }),
      fc.oneof(fc.constant('off' as const), fc.integer({ min: 1, max: 3 })),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
      (operations, count, namespaceShare, heldList) => {
        const queue = new SyncQueue();
        const model = new Map<string, Waiting>();
        for (const { image, at, ticket, isRemoved } of operations) {
          const waiting = aWaiting(`n${image % 3}/i${image}`, { queuedAtMs: at, ticket });
          if (isRemoved) {
            queue.remove(waiting.uid);
            model.delete(waiting.uid);
          } else {
            queue.set(waiting);
            model.set(waiting.uid, waiting);
          }
        }
        const held = new Map(heldList.map((slots, index) => [`n${index}`, slots]));
        const holds = new Map(held);
        const want: Waiting[] = [];
        for (const waiting of [...model.values()].sort(comparePlaces)) {
          const inNamespace = holds.get(waiting.namespace) ?? 0;
          if (want.length === count || (namespaceShare !== 'off' && inNamespace >= namespaceShare)) continue;
          holds.set(waiting.namespace, inNamespace + 1);
          want.push(waiting);
        }
        assert.deepEqual(keys(queue.choose({ count, namespaceShare, held })), keys(want));
        assert.deepEqual(keys(queue.choose(all)), keys([...model.values()].sort(comparePlaces)));
      },
    ),
    { numRuns: 150 },
  );
});

test('work grows with the logarithm of the queue, also behind a full namespace', () => {
  const comparisons = (size: number): number => {
    let count = 0;
    const heap = new IndexedHeap<number>((a, b) => {
      count++;
      return a - b;
    });
    for (let index = 0; index < size; index++) heap.set(String(index), (index * 7919) % size);
    count = 0;
    for (let index = 0; index < 100; index++) heap.remove(String(index));
    return count / 100;
  };
  assert.ok(comparisons(100_000) < 60, `${comparisons(100_000)} comparisons per removal`);

  const queue = new SyncQueue();
  for (let index = 0; index < 30_000; index++) queue.set(aWaiting(`full/${index}`, { ticket: BigInt(index) }));
  queue.set(aWaiting('other/1', { ticket: 99_999n }));
  const begin = performance.now();
  for (let turn = 0; turn < 1000; turn++)
    assert.deepEqual(keys(queue.choose({ count: 1, namespaceShare: 1, held: new Map([['full', 1]]) })), ['other/1']);
  assert.ok(performance.now() - begin < 1000, 'a scan of 30,000 images a thousand times would take far longer');
});
