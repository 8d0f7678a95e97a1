import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { emptyLedger, formatLedger, type Ledger, type LedgerEntry, parseLedger } from '@terrain/api';
import { ApiError, silentLogger } from '@terrain/runtime';
import { FakeClock } from '@terrain/runtime/testing';
import type { ConfigMap } from '#platform/core.ts';
import { readPolicy } from '#policy/policy.ts';
import type { Waiting } from '#queue/sync-queue.ts';
import { LedgerKeeper } from './keeper.ts';

const startMs = Date.parse('2026-11-15T12:00:00Z');
const entry = (image: string, seq: number, state: LedgerEntry['state'] = 'open'): LedgerEntry => ({
  image,
  attempt: 1,
  seq,
  since: '2026-11-15T11:59:00.000Z',
  state,
});
const waiting = (uid: string): Waiting => ({
  uid,
  namespace: 'farm',
  key: `farm/${uid}`,
  queuedAtMs: startMs,
  ticket: 1n,
  attempt: 1,
  isSettled: true,
});

const texts = (concurrency: string): Ledger['policy'] => readPolicy({ concurrency }, new Map()).texts;

/** A stored ledger that anybody may write, and a keeper of it. */
class Rig {
  readonly clock = new FakeClock(startMs);
  /** UIDs of images whose DataVolume still downloads. */
  readonly running = new Set<string>();
  readonly writes: Ledger[] = [];
  readonly looks: string[] = [];
  /** UIDs of images that something they need is missing for. */
  readonly lapsed = new Set<string>();
  readonly judged: string[] = [];
  readonly keeper: LedgerKeeper;
  #object: ConfigMap;
  #version = 10;

  constructor(t: TestContext, entries: Record<string, LedgerEntry>, limit = 2) {
    const data = formatLedger({
      ...emptyLedger,
      entries: new Map(Object.entries(entries)),
      seq: 9,
      limit,
      policy: texts(String(limit)),
      policyResourceVersion: '5',
    });
    this.#object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'l', namespace: 'n', uid: 'x', resourceVersion: '10' },
      data,
    };
    this.keeper = new LedgerKeeper({
      port: {
        read: async () => this.#object,
        create: async () => assert.fail('there is one'),
        replace: async (object) => {
          if (object.metadata.resourceVersion !== this.#object.metadata.resourceVersion)
            throw new ApiError(409, { reason: 'Conflict', message: 'modified', code: 409 }, 'PUT /');
          this.writes.push(ledgerOf(object));
          return this.#store(object.data ?? {});
        },
        runningImports: async () => [],
        isRunning: async (uid) => {
          this.looks.push(uid);
          return this.running.has(uid);
        },
      },
      clock: this.clock,
      serverNow: () => this.clock.now(),
      log: silentLogger,
      onEntry: () => undefined,
      confirm: async (image) => image,
      stillWaits: ({ uid }) => {
        this.judged.push(uid);
        return !this.lapsed.has(uid);
      },
    });
    t.after(() => this.keeper.close());
  }

  get entries(): Record<string, string> {
    return Object.fromEntries([...ledgerOf(this.#object).entries].map(([uid, { state }]) => [uid, state]));
  }

  #store(data: Record<string, string>): ConfigMap {
    const metadata = { ...this.#object.metadata, resourceVersion: String(++this.#version) };
    this.#object = { ...this.#object, metadata, data };
    return this.#object;
  }

  async start(): Promise<void> {
    this.keeper.start();
    await this.keeper.loaded;
    this.keeper.policyFollowed();
    await this.settled();
  }

  /** Somebody else writes the ledger. */
  async edit(change: (ledger: Ledger) => Partial<Ledger>): Promise<void> {
    const ledger = ledgerOf(this.#object);
    this.keeper.observed(this.#store(formatLedger({ ...ledger, ...change(ledger) })));
    await this.settled();
  }

  /** Somebody else writes the ledger without these entries. */
  rob(...uids: string[]): Promise<void> {
    return this.edit(({ entries }) => ({ entries: new Map([...entries].filter(([uid]) => !uids.includes(uid))) }));
  }

  async settled(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.clock.advance(20);
    }
  }
}

function ledgerOf({ data }: ConfigMap): Ledger {
  const reading = parseLedger(data);
  if (reading.kind !== 'ledger') return assert.fail('no ledger');
  return reading.ledger;
}

test('an image is expected to be admitted while there is room for all who wait', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1) });
  await rig.start();
  const { limit = 0 } = rig.keeper.ledger ?? {};
  const [first = '', ...others] = Array.from({ length: limit - 1 }, (_, n) => String.fromCharCode('b'.charCodeAt(0) + n));
  assert.equal(rig.keeper.expects(first), false, 'nobody waits');
  rig.keeper.wait(waiting(first));
  assert.equal(rig.keeper.expects(first), true);
  assert.equal(rig.keeper.expects('z'), false, 'it does not wait');
  for (const other of others) rig.keeper.wait(waiting(other));
  assert.equal(rig.keeper.expects(first), true);
  rig.keeper.wait({ ...waiting('y'), isSettled: false });
  assert.equal(rig.keeper.expects(first), false, 'more wait than there is room for');
  await rig.settled();
  assert.equal(rig.keeper.expects('y'), false, 'there is no room left');
});

for (const [limit, writes] of [
  [4, 4],
  [100, 2],
] as const)
  test(`of ${limit} slots, four that come free one after the other cost ${writes} writes`, async (t) => {
    const uids = ['a', 'b', 'c', 'd'];
    const rig = new Rig(t, Object.fromEntries(uids.map((uid, index) => [uid, entry(`farm/${uid}`, index + 1)])), limit);
    await rig.start();
    const released: Promise<void>[] = [];
    for (const uid of uids) {
      released.push(rig.keeper.change({ kind: 'release', uid, attempt: 1 }));
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      await rig.clock.advance(20);
    }
    for (let times = 0; times < 2; times++) await rig.settled();
    await Promise.all(released);
    assert.deepEqual([rig.writes.length, rig.entries], [writes, {}]);
  });

test('the slot of a download that still runs is given to nobody when its entry is taken out by hand', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1), b: entry('farm/b', 2) });
  rig.running.add('a').add('b');
  await rig.start();
  rig.keeper.wait(waiting('c'));
  await rig.settled();
  await rig.rob('a', 'b');
  assert.deepEqual(rig.entries, { a: 'open', b: 'open' });
  assert.ok(
    rig.writes.every(({ entries }) => !entries.has('c')),
    'c was admitted',
  );
});

test('a slot that was being given back comes back as it was', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1, 'closing') }, 1);
  rig.running.add('a');
  await rig.start();
  await rig.rob('a');
  assert.deepEqual(rig.entries, { a: 'closing' });
});

test('an entry that somebody else released is looked at once, and its slot is used', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1) }, 1);
  await rig.start();
  rig.keeper.wait(waiting('c'));
  await rig.settled();
  await rig.rob('a');
  assert.deepEqual([rig.entries, rig.looks], [{ c: 'open' }, ['a']]);
});

test('what seems to download without an entry is looked at before anybody is admitted', async (t) => {
  const rig = new Rig(t, {}, 1);
  rig.running.add('a');
  await rig.start();
  rig.keeper.suspect('a', { image: 'farm/a', attempt: 1, state: 'open' });
  rig.keeper.wait(waiting('c'));
  await rig.settled();
  assert.deepEqual(rig.entries, { a: 'open' });
  rig.running.clear();
  await rig.keeper.change({ kind: 'release', uid: 'a', attempt: 1 });
  assert.deepEqual([rig.entries, rig.looks], [{ c: 'open' }, ['a']], 'its own release casts no doubt');
});

test('values written into the ledger by hand admit nobody: those of the policy come back first', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1) }, 1);
  rig.running.add('a');
  await rig.start();
  await rig.keeper.setPolicy(texts('1'), '5');
  rig.keeper.wait(waiting('c'));
  await rig.settled();
  await rig.edit(() => ({ limit: 900, policy: texts('900') }));
  assert.deepEqual([rig.entries, rig.keeper.policy.concurrency, rig.keeper.ledger?.limit], [{ a: 'open' }, 1, 1]);
});

test('a policy version that this cluster has not reached yet is of another one: the policy that people wrote comes into force', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1) }, 1);
  await rig.start();
  rig.keeper.wait(waiting('c'));
  await rig.edit(() => ({ policyResourceVersion: '99999999', limit: 2, policy: texts('2') }));
  assert.deepEqual(rig.entries, { a: 'open' }, 'nobody is admitted by values of unknown origin');
  await rig.keeper.setPolicy(texts('3'), '8');
  await rig.settled();
  assert.deepEqual([rig.entries, rig.keeper.policy.concurrency], [{ a: 'open', c: 'open' }, 3]);
  assert.deepEqual([rig.keeper.ledger?.policyResourceVersion, rig.writes.at(-1)?.policyResourceVersion], ['8', '8']);
});

test('an image whose slot is released takes its place before the next one is admitted', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1), b: entry('farm/b', 2) }, 2);
  await rig.start();
  rig.keeper.whenReleased((key) => {
    rig.keeper.wait({ ...waiting(key.slice(-1)), attempt: 2, queuedAtMs: startMs - 1 });
    return true;
  });
  rig.keeper.wait(waiting('c'));
  await rig.settled();
  await Promise.all(['a', 'b'].map((uid) => rig.keeper.change({ kind: 'release', uid, attempt: 1 })));
  await rig.settled();
  // The write that released both admitted c; of the two that came back the first in the queue follows.
  assert.deepEqual(rig.entries, { c: 'open', a: 'open' });
});

test('how long an entry has been closing does not depend on anybody’s clock, which may differ or be set', async (t) => {
  const rig = new Rig(t, { a: entry('farm/a', 1), b: entry('farm/b', 2) });
  await rig.start();
  await rig.keeper.change({ kind: 'close', uid: 'a', attempt: 1 });
  const before = rig.keeper.closingForMs('a');
  for (const shiftMs of [5000, -3_600_000]) {
    rig.clock.shiftWall(shiftMs);
    assert.equal(rig.keeper.closingForMs('a'), before, `set by ${shiftMs} ms`);
  }
  await rig.clock.advance(4000);
  assert.equal(rig.keeper.closingForMs('a'), before + 4000);
  assert.equal(rig.keeper.closingForMs('b'), 0, 'one that is open');
});

test('who is known to miss something is passed over in the same write, and each is looked at once', async (t) => {
  const rig = new Rig(t, {}, 2);
  for (const uid of ['b', 'c', 'd', 'e']) rig.lapsed.add(uid);
  for (const uid of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    rig.keeper.wait(waiting(uid));
    rig.keeper.verified(uid);
  }
  await rig.start();
  assert.deepEqual([rig.entries, rig.writes.length, rig.keeper.queue.size], [{ a: 'open', f: 'open' }, 1, 1]);
  assert.deepEqual(rig.judged.sort(), ['a', 'b', 'c', 'd', 'e', 'f']);
});
