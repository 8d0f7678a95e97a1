import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RevisionMerge } from './revision-merge.ts';

const at = (revision: number) => ({ revision: BigInt(revision) });

test('an event waits until every stream has passed it', () => {
  const merge = new RevisionMerge<string, { revision: bigint }>(['pods', 'maps'], 10n);
  merge.add('pods', at(12));
  assert.deepEqual([merge.drain(), merge.frontier, merge.held, merge.behind(12n)], [[], 10n, 12n, ['maps']]);
  merge.advance('maps', 12n);
  assert.deepEqual([merge.drain(), merge.held], [[at(12)], undefined]);
});

test('events come out by revision, whatever the order of arrival', () => {
  const merge = new RevisionMerge<string, { revision: bigint }>(['pods', 'maps'], 10n);
  for (const revision of [13, 15]) merge.add('pods', at(revision));
  for (const revision of [11, 14, 17]) merge.add('maps', at(revision));
  assert.deepEqual(merge.drain(), [11, 13, 14, 15].map(at));
  assert.equal(merge.held, 17n);
});

test('a stream that goes back is an error', () => {
  const merge = new RevisionMerge<string, { revision: bigint }>(['pods'], 10n);
  merge.add('pods', at(12));
  assert.throws(() => merge.add('pods', at(12)), /went back from revision 12 to 12/);
});

test('progress never goes back', () => {
  const merge = new RevisionMerge<string, { revision: bigint }>(['pods'], 10n);
  merge.advance('pods', 5n);
  assert.equal(merge.frontier, 10n);
});

test('for any split over streams and any interleaving the result is the whole history in order', () => {
  const histories = fc.array(fc.nat(2), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(histories, fc.infiniteStream(fc.nat(2)), (owners, picks) => {
      const queues = [0, 1, 2].map((stream) => owners.flatMap((owner, index) => (owner === stream ? [at(index + 1)] : [])));
      const merge = new RevisionMerge<number, { revision: bigint }>([0, 1, 2], 0n);
      const out: { revision: bigint }[] = [];
      for (const pick of picks) {
        const stream = [pick, 0, 1, 2].find((candidate) => (queues[candidate]?.length ?? 0) > 0);
        if (stream === undefined) break;
        merge.add(stream, queues[stream]!.shift()!);
        out.push(...merge.drain());
      }
      for (const stream of [0, 1, 2]) merge.advance(stream, BigInt(owners.length));
      out.push(...merge.drain());
      assert.deepEqual(
        out,
        owners.map((_, index) => at(index + 1)),
      );
    }),
  );
});
