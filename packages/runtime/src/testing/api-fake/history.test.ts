import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, History } from './history.ts';
import type { StoredObject } from './kind.ts';
import { servedKind } from './kinds.ts';

const kind = (plural: string) => servedKind({ type: { group: '', version: 'v1', plural, namespaced: true }, kind: plural });
const [maps, pods] = [kind('configmaps'), kind('pods')];
const named = (name: string, value = 0): StoredObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name, namespace: 'lab' },
  value,
});
const inWords = (objects: Iterable<StoredObject>): string[] =>
  [...objects].map(({ metadata, value }) => `${metadata.name}=${value}`).sort();

test('every write has the next revision, over all kinds', () => {
  const history = new History();
  const start = history.revision;
  history.put(maps, named('a'));
  history.put(pods, named('b'));
  history.remove(maps, 'lab/a');
  assert.deepEqual(
    [history.revision - start, history.since(maps, start).map(({ type, revision }) => [type, revision - start])],
    [
      3,
      [
        ['ADDED', 1],
        ['DELETED', 3],
      ],
    ],
  );
});

test('a past state can be had as long as the changes since are known', () => {
  const history = new History();
  history.put(maps, named('a', 1));
  const then = history.revision;
  history.put(maps, named('a', 2));
  history.put(maps, named('b', 1));
  history.remove(maps, 'lab/a');
  assert.deepEqual([inWords(history.at(maps, then)), inWords(history.all(maps))], [['a=1'], ['b=1']]);
  history.compact();
  assert.throws(() => history.at(maps, then), /too old resource version/);
  assert.deepEqual(history.since(maps, history.revision), []);
});

test('compaction up to a revision keeps what came after', () => {
  const history = new History();
  history.put(maps, named('a'));
  const then = history.revision;
  history.put(maps, named('b'));
  history.compact(then);
  assert.deepEqual(
    history.since(maps, then).map(({ object }) => object.metadata.name),
    ['b'],
  );
  history.compact(then - 1);
  assert.equal(history.compactedTo, then);
});

test('listeners hear of every change in order, until they leave', () => {
  const history = new History();
  const heard: Change['type'][] = [];
  const leave = history.subscribe(({ type }) => heard.push(type));
  history.put(maps, named('a'));
  history.put(maps, named('a', 2));
  history.remove(maps, 'lab/a');
  history.remove(maps, 'lab/a');
  leave();
  history.put(maps, named('b'));
  assert.deepEqual(heard, ['ADDED', 'MODIFIED', 'DELETED']);
});
