import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from './lanes.ts';

test('so many pieces at a time, begun in order, results in order', async () => {
  const begun: number[] = [];
  const doors = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const all = inLanes(2, [0, 1, 2, 3], async (piece) => {
    begun.push(piece);
    await doors[piece]!.promise;
    return piece * 10;
  });
  assert.deepEqual(begun, [0, 1]);
  doors[1]!.resolve();
  await doors[1]!.promise;
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const { resolve } of doors) resolve();
  assert.deepEqual(await all, [0, 10, 20, 30]);
});

test('a piece that throws keeps none of the others from being done', async () => {
  const done: number[] = [];
  const all = inLanes(1, [0, 1, 2], async (piece) => {
    if (piece === 0) throw new Error('the first');
    done.push(piece);
  });
  await assert.rejects(all, /the first/);
  assert.deepEqual(done, [1, 2]);
});

/** Pieces that end when they are told to, and in which order they began. */
class Yard {
  readonly begun: string[] = [];
  readonly #doors = new Map<string, PromiseWithResolvers<void>>();

  readonly work = (piece: string): Promise<void> => {
    this.begun.push(piece);
    const door = Promise.withResolvers<void>();
    this.#doors.set(piece, door);
    return door.promise;
  };

  async end(piece: string): Promise<void> {
    this.#doors.get(piece)?.resolve();
    await new Promise(setImmediate);
  }
}

test('a piece that may not begin yet is passed by, and keeps its place', async () => {
  const yard = new Yard();
  const built = Promise.withResolvers<void>();
  const all = inLanes(1, ['late', 'a', 'b'], yard.work, (piece) => (piece === 'late' ? { after: built.promise } : {}));
  assert.deepEqual(yard.begun, ['a']);
  built.resolve();
  await yard.end('a');
  assert.deepEqual(yard.begun, ['a', 'late']);
  await yard.end('late');
  await yard.end('b');
  await all;
});

test('a lane with nothing to begin waits, also for what failed to come', async () => {
  const yard = new Yard();
  const built = Promise.withResolvers<void>();
  const all = inLanes(2, ['late'], yard.work, () => ({ after: built.promise }));
  await yard.end('');
  assert.deepEqual(yard.begun, []);
  built.reject(new Error('no build'));
  await yard.end('');
  assert.deepEqual(yard.begun, ['late']);
  await yard.end('late');
  await all;
});

test('pieces of one turn never run together', async () => {
  const yard = new Yard();
  const all = inLanes(2, ['node 1', 'node 2', 'other'], yard.work, (piece) => (piece.startsWith('node') ? { turn: 'node' } : {}));
  assert.deepEqual(yard.begun, ['node 1', 'other']);
  await yard.end('other');
  assert.deepEqual(yard.begun, ['node 1', 'other']);
  await yard.end('node 1');
  assert.deepEqual(yard.begun, ['node 1', 'other', 'node 2']);
  await yard.end('node 2');
  await all;
});
