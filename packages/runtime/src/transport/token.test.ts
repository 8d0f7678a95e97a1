import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/index.ts';
import { Token } from './token.ts';

test('a token is read again when it is more than a minute old, and not before', async () => {
  const clock = new FakeClock();
  let reads = 0;
  const token = new Token(async () => `t${++reads}`, clock);
  assert.equal(await token.read(), 't1');
  await clock.advance(60_000);
  assert.equal(await token.read(), 't1');
  assert.deepEqual([token.isAtHand, token.atHand], [true, 't1']);
  await clock.advance(1);
  assert.equal(token.isAtHand, false);
  assert.equal(await token.read(), 't2');
});

test('a refusal that comes late does not throw away the token that replaced the refused one', async () => {
  let reads = 0;
  const token = new Token(async () => `t${++reads}`, new FakeClock());
  assert.equal(await token.read(), 't1');
  token.refused('t1');
  assert.equal(token.isAtHand, false);
  assert.equal(await token.read(), 't2');
  token.refused('t1');
  assert.equal(await token.read(), 't2');
});

test('a fixed token stays, and none is none', async () => {
  const clock = new FakeClock();
  assert.equal(await new Token('fixed', clock).read(), 'fixed');
  assert.equal(await new Token(undefined, clock).read(), undefined);
  assert.equal(new Token('fixed', clock).isRenewable, false);
  for (const source of ['fixed', undefined]) {
    const token = new Token(source, clock);
    assert.deepEqual([token.isAtHand, token.atHand], [true, source]);
  }
});

test('a token that does not come is given up with a sentence, by all who wait for it, and asked for again', async () => {
  const clock = new FakeClock();
  let reads = 0;
  const token = new Token(() => (++reads === 1 ? new Promise<string>(() => undefined) : Promise.resolve(`t${reads}`)), clock);
  const waiting = Promise.allSettled([token.read(), token.read()]);
  assert.equal(token.isAtHand, false);
  await clock.advance(119_999);
  const last = token.read();
  const outcome = assert.rejects(last, {
    message:
      'no token for the API server within 120 s: see what the login that the kubeconfig names (exec or auth-provider) waits for',
  });
  await clock.advance(1);
  await outcome;
  assert.deepEqual(
    (await waiting).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await token.read(), 't2');
  assert.equal(clock.pendingTimers, 0, 'no timer is left');
});
