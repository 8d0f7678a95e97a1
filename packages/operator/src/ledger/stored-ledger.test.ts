import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, formatLedger } from '@terrain/api';
import { silentLogger } from '@terrain/runtime';
import { FakeClock } from '@terrain/runtime/testing';
import type { ConfigMap } from '#platform/core.ts';
import { KnownLedger } from './known-ledger.ts';
import { StoredLedger } from './stored-ledger.ts';

const version = (resourceVersion: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'ledger', namespace: 'terrain', uid: 'x', resourceVersion },
  data: formatLedger({ ...emptyLedger, seq: Number(resourceVersion) }),
});

/** The ledger at version 10, read, and what is told of it from then on. */
async function ledgerAt10() {
  const told: string[] = [];
  const known = new KnownLedger({
    clock: new FakeClock(0),
    onHeld: () => undefined,
    onGone: () => undefined,
    onEntry: () => undefined,
    onPolicy: () => undefined,
    onUsable: () => undefined,
  });
  let answer = Promise.withResolvers<ConfigMap>();
  const stored = new StoredLedger({
    port: {
      read: async () => version('10'),
      create: () => assert.fail('there is one'),
      replace: () => answer.promise,
      runningImports: async () => [],
      isRunning: async () => false,
    },
    log: silentLogger,
    known,
    onForeign: () => told.push('foreign'),
    onTaken: () => told.push(`taken ${known.object?.metadata.resourceVersion}`),
    onNews: () => told.push('news'),
  });
  const { signal } = new AbortController();
  assert.equal(await stored.load(signal), false);
  assert.deepEqual(told.splice(0), ['foreign', 'taken 10'], 'nobody knows who wrote what was read');
  return {
    known,
    stored,
    told,
    /** Begins a write; what it returns ends it. */
    write: () => {
      answer = Promise.withResolvers();
      const written = stored.replace(version('10'), emptyLedger, signal);
      return {
        succeeds: async (as: string) => {
          answer.resolve(version(as));
          await written;
        },
        isRefused: async () => {
          answer.reject(new Error('modified'));
          await assert.rejects(written, /modified/);
        },
      };
    },
  };
}

test('the event of an own write is nobody else’s, whether it comes before the answer or after it', async () => {
  const { stored, told, write } = await ledgerAt10();
  const { succeeds } = write();
  stored.observed(version('11'));
  assert.deepEqual(told, [], 'before the answer it cannot be known whose it is');
  await succeeds('11');
  stored.observed(version('11'));
  assert.deepEqual(told, ['taken 11']);
  assert.equal(stored.isOwn, true);
});

test('what somebody else wrote is said to be so before it is taken', async () => {
  const { stored, told } = await ledgerAt10();
  stored.observed(version('11'));
  assert.deepEqual(told, ['foreign', 'taken 11', 'news']);
  assert.equal(stored.isOwn, false);
});

test('what somebody else wrote during a write is taken when that is over, also when it failed', async () => {
  for (const outcome of ['succeeds', 'isRefused'] as const) {
    const { stored, told, write } = await ledgerAt10();
    const writing = write();
    stored.observed(version('12'));
    await writing[outcome]('11');
    assert.deepEqual(told.slice(-3), ['foreign', 'taken 12', 'news'], outcome);
  }
});

test('a ledger that goes during a write is doubted after it', async () => {
  const { known, stored, told, write } = await ledgerAt10();
  const { succeeds } = write();
  stored.observed(undefined);
  assert.notEqual(known.object, undefined);
  await succeeds('11');
  assert.equal(known.object, undefined, 'only a live read can tell what it is');
  assert.deepEqual(told, ['taken 11', 'news']);
});

test('an old version that comes late changes nothing', async () => {
  const { known, stored, told } = await ledgerAt10();
  stored.observed(version('9'));
  stored.observed(version('10'));
  assert.deepEqual(told, []);
  assert.equal(known.object?.metadata.resourceVersion, '10');
});
