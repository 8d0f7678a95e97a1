import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RecentWords, shareWords } from './share-words.ts';

const at = '2030-01-01T00:00:00Z';
const objects: Record<string, unknown> = {
  'one that says the same in several places': {
    metadata: {
      namespace: 'a-long-namespace',
      labels: { 'a.b/namespace': 'a-long-namespace' },
      finalizers: ['pelotech.ot/cleanup'],
    },
    status: {
      message: 'all is well here',
      conditions: [
        { type: 'Ready', message: 'all is well here', lastTransitionTime: at, observedGeneration: 3 },
        { type: 'Synced', message: 'all is well here', lastTransitionTime: at, isOdd: true },
      ],
    },
  },
  'one with odd fields': {
    a: null,
    b: [null, 'x', 7, [], [['a text in a list of lists']]],
    c: undefined,
    '': '',
    constructor: {},
  },
  'an empty one': {},
  'a list': ['a-long-namespace', { a: 'a-long-namespace' }],
  'no object at all': 'a-long-namespace',
  nothing: null,
};
for (const [name, object] of Object.entries(objects))
  test(`${name} says afterwards what it said`, () => {
    const words = new RecentWords();
    assert.deepEqual(shareWords(structuredClone(object), words), object);
    assert.deepEqual(shareWords(structuredClone(object), words), object);
  });

/** Answers itself with what it was first told, so that tests can see who was asked for what. */
class NotedWords extends RecentWords {
  readonly asked: string[] = [];

  override share(text: string): string {
    this.asked.push(text);
    return super.share(text);
  }
}

test('texts at every depth are shared, names of fields are not', () => {
  const words = new NotedWords();
  shareWords({ kind: 'K', list: ['one', { deep: 'two' }], number: 7, nothing: null }, words);
  assert.deepEqual(words.asked, ['K', 'one', 'two']);
});

test('a field that is inherited, or cannot be seen, is left alone', () => {
  const words = new NotedWords();
  shareWords(JSON.parse('{"__proto__": {"text": "of its own"}}'), words);
  assert.deepEqual(words.asked, ['of its own']);
  assert.equal(({} as { text?: string }).text, undefined);
});

test('however many texts there are, a bounded number is held, and one in use stays', () => {
  const words = new RecentWords(10);
  for (let number = 0; number < 1000; number++) {
    assert.equal(words.share('a text in use'), 'a text in use');
    assert.equal(words.share(`a text of its own ${number}`), `a text of its own ${number}`);
    assert.ok(words.size <= 20);
  }
  assert.equal(words.share('short'), 'short');
  assert.equal(words.share('long '.repeat(100)), 'long '.repeat(100));
  assert.ok(words.size <= 20);
});

test('objects that say the same take the room of one that says it', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const sizeOf = (words: RecentWords | undefined): number => {
    collect();
    const before = getHeapStatistics().used_heap_size;
    const held = Array.from({ length: 10_000 }, () => {
      const object: unknown = JSON.parse(told);
      return words === undefined ? object : shareWords(object, words);
    });
    collect();
    return (getHeapStatistics().used_heap_size - before) / held.length;
  };
  const told = JSON.stringify({ a: 'the same sentence '.repeat(10), b: 'the same sentence '.repeat(10) });
  const [alone, shared] = [sizeOf(undefined), sizeOf(new RecentWords())];
  assert.ok(shared < alone / 4, `${shared} bytes each instead of ${alone}`);
});
