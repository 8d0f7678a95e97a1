import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NamespaceUse } from './namespace-use.ts';

/** A namespace with a mark, images that the cache shows as in use, and writes that end when the test says so. */
function rig({ isMarked, cached }: { isMarked: boolean; cached: readonly string[] }) {
  const use = new NamespaceUse();
  const written: string[] = [];
  const answers: (() => void)[] = [];
  const write = (what: string) => async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    written.push(what);
  };
  return {
    use,
    written,
    holds: (key: string) => use.hold('farm', key, isMarked, write('mark')),
    letsGo: (key: string) => use.release('farm', key, isMarked, () => cached, write('unmark')),
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
  const both = Promise.all([letsGo('farm/a'), Promise.resolve().then(() => holds('farm/b'))]);
  await answerAll();
  await both;
  assert.ok(written.length === 0 || written.at(-1) === 'mark', `${written}`);
  const late = rig({ isMarked: true, cached: ['farm/a'] });
  const letting = late.letsGo('farm/a');
  await new Promise((resolve) => setImmediate(resolve));
  const holding = late.holds('farm/b');
  await late.answerAll();
  await Promise.all([letting, holding]);
  assert.deepEqual(late.written, ['unmark', 'mark']);
});

test('a mark that the cache does not show yet goes too', async () => {
  const { letsGo, holds, answerAll, written } = rig({ isMarked: false, cached: [] });
  const held = holds('farm/a');
  await answerAll();
  await held;
  const gone = letsGo('farm/a');
  await answerAll();
  await gone;
  assert.deepEqual(written, ['mark', 'unmark']);
});

test('a write that is refused is told to who asked for it, and holds up nobody', async () => {
  const use = new NamespaceUse();
  const refused = use.hold('farm', 'farm/a', false, () => Promise.reject(new Error('denied')));
  const marked: string[] = [];
  const next = use.hold('farm', 'farm/b', false, async () => void marked.push('b'));
  await assert.rejects(refused, /denied/);
  await next;
  assert.deepEqual(marked, ['b']);
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
