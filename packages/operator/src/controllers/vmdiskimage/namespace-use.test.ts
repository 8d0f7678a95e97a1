import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NamespaceUse, type ShownMark } from './namespace-use.ts';

/** A namespace as the cache shows it at version 10, images that the cache shows as in use, and writes that end when the test says so. */
function rig({ isMarked, cached }: { isMarked: boolean; cached: readonly string[] }) {
  const use = new NamespaceUse();
  const written: string[] = [];
  const answers: (() => void)[] = [];
  let version = 10;
  const write = (what: string) => async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    written.push(what);
    return String(++version);
  };
  const asCached: ShownMark = { isMarked, version: '10' };
  return {
    use,
    written,
    holds: (key: string, shown = asCached) => use.hold('farm', key, shown, write('mark')),
    letsGo: (key: string, shown = asCached) => use.release('farm', key, shown, () => cached, write('unmark')),
    /** Lets all writes be carried out, one after the other. */
    answerAll: async () => {
      for (let turn = 0; turn < 20; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        answers.shift()?.();
      }
    },
  };
}

test('the mark goes, once, when the last two let go at once, though the cache shows both as in use', async () => {
  const { letsGo, answerAll, written } = rig({ isMarked: true, cached: ['farm/a', 'farm/b'] });
  const both = Promise.all([letsGo('farm/a'), letsGo('farm/b')]);
  await answerAll();
  await both;
  assert.deepEqual(written, ['unmark']);
});

test('the mark stays while another is in use, by the cache or because that was decided a moment ago', async () => {
  const byCache = rig({ isMarked: true, cached: ['farm/a', 'farm/b'] });
  await byCache.letsGo('farm/a');
  assert.deepEqual(byCache.written, []);
  const decided = rig({ isMarked: true, cached: ['farm/a'] });
  await decided.holds('farm/b');
  await decided.letsGo('farm/a');
  assert.deepEqual(decided.written, []);
});

test('who begins to hold while another lets go is marked again, though the cache still shows the mark', async () => {
  const { letsGo, holds, answerAll, written } = rig({ isMarked: true, cached: ['farm/a'] });
  const letting = letsGo('farm/a');
  await new Promise((resolve) => setImmediate(resolve));
  const holding = holds('farm/b');
  await answerAll();
  await Promise.all([letting, holding]);
  assert.deepEqual(written, ['unmark', 'mark']);
});

test('many that begin to hold at once cost one write', async () => {
  const { holds, answerAll, written } = rig({ isMarked: false, cached: [] });
  const all = Promise.all(['farm/a', 'farm/b', 'farm/c'].map((key) => holds(key)));
  await answerAll();
  await all;
  assert.deepEqual(written, ['mark']);
});

test('what was written counts until the cache shows it, and then the cache', async () => {
  const { letsGo, holds, answerAll, written } = rig({ isMarked: false, cached: [] });
  const steps = async () => {
    await holds('farm/a');
    await letsGo('farm/a');
    await holds('farm/a', { isMarked: true, version: '11' });
    await holds('farm/a', { isMarked: false, version: '14' });
    await letsGo('farm/a', { isMarked: false, version: '16' });
    await letsGo('farm/a', { isMarked: true, version: '17' });
  };
  const [, told] = await Promise.all([answerAll().then(answerAll), steps().then(() => written)]);
  // Marked (11), unmarked (12), marked since 11 is older than that (13), marked since somebody took it away (14), nothing, unmarked (15).
  assert.deepEqual(told, ['mark', 'unmark', 'mark', 'mark', 'unmark']);
});

test('a write that is refused is told to all who stood in line for it, and tried by the next', async () => {
  const use = new NamespaceUse();
  const shown = { isMarked: false, version: '10' };
  let tries = 0;
  const refuses = async () => {
    tries++;
    throw new Error('denied');
  };
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((key) => use.hold('farm', key, shown, refuses)));
  assert.deepEqual([tries, outcomes.map(({ status }) => status)], [1, ['rejected', 'rejected', 'rejected']]);
  await use.hold('farm', 'a', shown, async () => '11');
  await assert.rejects(use.hold('barn', 'd', shown, refuses), /denied/);
  assert.equal(tries, 2);
});

test('one that is gone counts no more', async () => {
  const { use, letsGo, holds, answerAll, written } = rig({ isMarked: true, cached: [] });
  await holds('farm/a');
  use.forget('farm', 'farm/a');
  const letting = letsGo('farm/b');
  await answerAll();
  await letting;
  assert.deepEqual(written, ['unmark']);
});
