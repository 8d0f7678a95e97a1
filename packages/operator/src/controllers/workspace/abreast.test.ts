import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abreast } from './abreast.ts';

/** Work that ends when the test says so. */
class Bench {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, PromiseWithResolvers<void>>();

  readonly work = (one: number): Promise<void> => {
    const end = Promise.withResolvers<void>();
    this.begun.push(one);
    this.#ends.set(one, end);
    return end.promise;
  };

  async finish(...ones: readonly number[]): Promise<void> {
    for (const one of ones) this.#ends.get(one)?.resolve();
    await new Promise(setImmediate);
  }

  async fail(one: number, words: string): Promise<void> {
    this.#ends.get(one)?.reject(new Error(words));
    await new Promise(setImmediate);
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

test('all are done, eight at a time', async () => {
  const bench = new Bench();
  const running = abreast(numbers(10), bench.work);
  assert.deepEqual(bench.begun, numbers(8));
  await bench.finish(3);
  assert.deepEqual(bench.begun, numbers(9));
  await bench.finish(...numbers(9));
  await bench.finish(9);
  await running;
  assert.deepEqual(bench.begun, numbers(10));
  await abreast([], () => assert.fail('there is nothing to do'));
});

test('after an error nothing more is begun, and what is under way is waited for', async () => {
  const bench = new Bench();
  const outcome: string[] = [];
  const running = abreast(numbers(20), bench.work).catch(({ message }: Error) => outcome.push(message));
  await bench.fail(5, 'the first');
  await bench.finish(0, 1, 2);
  await bench.fail(6, 'the second');
  assert.deepEqual([bench.begun, outcome], [numbers(8), []]);
  await bench.finish(3, 4, 7);
  await running;
  assert.deepEqual([bench.begun, outcome], [numbers(8), ['the first']]);
});
