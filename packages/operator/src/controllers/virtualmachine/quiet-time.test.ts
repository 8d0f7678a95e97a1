import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenStatus, type VirtualMachineStatus } from '@terrain/api';
import { aCondition } from '#testing/machine-world.ts';
import { QuietTime } from './quiet-time.ts';

const saying = (reason: string, rest: Partial<VirtualMachineStatus> = {}): VirtualMachineStatus => ({
  observedGeneration: 1,
  ...rest,
  conditions: [{ ...aCondition('Ready', reason === 'Ready' ? 'True' : 'False'), reason }],
});

const cases: Record<string, { before?: VirtualMachineStatus; next: VirtualMachineStatus; want: number }> = {
  'the first words wait a second': { next: saying('Cloning'), want: 1000 },
  'what the API server says by itself is no word of ours': { before: unseenStatus, next: saying('Cloning'), want: 1000 },
  'word of a reference that is not counted waits ten: it would have to be counted anew': {
    next: saying('ReferencePending'),
    want: 10_000,
  },
  'later ones ten': { before: saying('Cloning'), next: saying('Starting'), want: 10_000 },
  'what is wrong does not wait': { next: saying('QuotaExceeded'), want: 0 },
  'that it is ready does not wait': { before: saying('Starting'), next: saying('Ready'), want: 0 },
  'that it is ready no more does not wait': { before: saying('Ready'), next: saying('Starting'), want: 0 },
  'what was told already does not wait': {
    before: { conditions: saying('Cloning').conditions ?? [], phase: 'Provisioning', observedGeneration: 1 },
    next: saying('Cloning', { phase: 'Provisioning' }),
    want: 0,
  },
  'the end of a root disk does not wait': {
    before: saying('Starting', { rootDisk: 'a' }),
    next: saying('ReferencePending'),
    want: 0,
  },
};
for (const [name, { before, next, want }] of Object.entries(cases))
  test(name, () => assert.equal(new QuietTime().heldMs('a/b', before, next, 0), want));

test('time held counts from the first news of a step on, and each machine has its own', () => {
  const quiet = new QuietTime();
  assert.equal(quiet.heldMs('a/b', undefined, saying('Waiting'), 0), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Waiting'), 600), 400);
  assert.equal(quiet.heldMs('a/c', undefined, saying('Waiting'), 600), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Waiting'), 1000), 0);
  assert.equal(quiet.heldMs('a/b', saying('Waiting'), saying('Starting'), 1000), 10_000);
});

test('each step has its time, so that a machine that gets on says nothing, but not for longer than twice that', () => {
  const quiet = new QuietTime();
  assert.equal(quiet.heldMs('a/b', undefined, saying('Waiting'), 0), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Cloning'), 900), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Starting'), 1800), 200);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Starting'), 2000), 0);
});

test('news of the parts of one machine wait for nothing, those of several for each other', () => {
  const quiet = new QuietTime();
  const gathers = ['a/a', 'a/b', 'a/c'].map((key) => {
    quiet.heldMs(key, undefined, saying('Cloning'), 0);
    return quiet.gatherMs();
  });
  assert.deepEqual(gathers, [0, 3, 6]);
});

test('a clock that goes back holds nothing longer', () => {
  const quiet = new QuietTime();
  assert.equal(quiet.heldMs('a/b', undefined, saying('Cloning'), 3_600_000), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Cloning'), 0), 1000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Cloning'), 1000), 0);
});

test('a machine that has been counted has its first second from then on', () => {
  const quiet = new QuietTime();
  assert.equal(quiet.heldMs('a/b', undefined, saying('ReferencePending'), 0), 10_000);
  assert.equal(quiet.heldMs('a/b', undefined, saying('Cloning'), 4000), 1000);
});

test('where many are on their way, each may take longer, but not for ever', () => {
  const quiet = new QuietTime();
  const helds = Array.from({ length: 1000 }, (_, index) => quiet.heldMs(`a/${index}`, undefined, saying('Cloning'), 0));
  assert.deepEqual([helds[0], helds[9], helds[50], helds[999]], [1000, 2700, 15_000, 30_000]);
  assert.equal(quiet.heldMs('a/0', saying('Cloning'), saying('Starting'), 0), 30_000);
  assert.equal(quiet.gatherMs(), 1000);
});
