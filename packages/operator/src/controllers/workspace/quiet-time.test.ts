import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenStatus, type WorkspaceStatus } from '@terrain/api';
import { aCondition } from '#testing/machine-world.ts';
import { QuietTime } from './quiet-time.ts';

const saying = (reason: string, rest: Partial<WorkspaceStatus> = {}): WorkspaceStatus => ({
  phase: reason === 'Ready' ? 'Ready' : 'Provisioning',
  observedGeneration: 1,
  conditions: [{ ...aCondition('Ready', reason === 'Ready' ? 'True' : 'False'), reason }],
  ...rest,
});
const part = (phase: 'Provisioning' | 'Failed'): Partial<WorkspaceStatus> => ({
  components: [{ kind: 'Volume', name: 'data', phase, message: 'x' }],
});

const cases: Record<string, { before?: WorkspaceStatus; next: WorkspaceStatus; want: number }> = {
  'the first words wait a second': { next: saying('NetworksPending'), want: 1000 },
  'what the API server says by itself is no word of ours': { before: unseenStatus, next: saying('Waiting'), want: 1000 },
  'later ones three': { before: saying('NetworksPending'), next: saying('ContainersNotReady'), want: 3000 },
  'that it is ready does not wait': { before: saying('ContainersNotReady'), next: saying('Ready'), want: 0 },
  'that it is ready no more does not wait': { before: saying('Ready'), next: saying('ContainersNotReady'), want: 0 },
  'what is wrong does not wait': { next: saying('QuotaExceeded'), want: 0 },
  'neither does what is wrong with one part while others go on': { next: saying('VolumesPending', part('Failed')), want: 0 },
  'parts that go on wait': { next: saying('VolumesPending', part('Provisioning')), want: 1000 },
  'what only a person can help does not wait': { next: saying('VolumesPending', { phase: 'Failed' }), want: 0 },
  'neither does the end of that': { before: saying('Invalid', { phase: 'Failed' }), next: saying('NetworksPending'), want: 0 },
  'that it is being deleted does not wait': { before: saying('NetworksPending'), next: saying('Deleting'), want: 0 },
  'what was told already does not wait': { before: saying('NetworksPending'), next: saying('NetworksPending'), want: 0 },
};
for (const [name, { before, next, want }] of Object.entries(cases))
  test(name, () => assert.equal(new QuietTime().heldMs('lab', before, next, 0), want));

test('roles that are not applied yet hold up nothing, and are no news', () => {
  const roles = { ...aCondition('DeployRolesApplied', 'False'), reason: 'RunnerNotConfigured' };
  const next = saying('NetworksPending');
  assert.equal(new QuietTime().heldMs('lab', undefined, { ...next, conditions: [...(next.conditions ?? []), roles] }, 0), 1000);
});

test('news of the parts of one lab wait for nothing, those of several for each other', () => {
  const quiet = new QuietTime();
  const gathers = ['a', 'b', 'c'].map((lab) => {
    quiet.heldMs(lab, undefined, saying('Waiting'), 0);
    return quiet.gatherMs();
  });
  assert.deepEqual(gathers, [0, 10, 20]);
});

test('a lab that gets on says nothing, but not for longer than twice the time', () => {
  const quiet = new QuietTime();
  const at = (ready: string, nowMs: number): number =>
    quiet.heldMs('lab', undefined, saying('NetworksPending', { ready }), nowMs);
  assert.deepEqual([at('0/4', 0), at('0/4', 500), at('1/4', 900), at('2/4', 1500), at('3/4', 2000)], [1000, 500, 1000, 500, 0]);
});

test('where many are on their way, each may take longer, but not for ever', () => {
  const quiet = new QuietTime();
  const helds = Array.from({ length: 200 }, (_, index) => quiet.heldMs(`lab-${index}`, undefined, saying('Waiting'), 0));
  assert.deepEqual([helds[0], helds[50], helds[199]], [1000, 15_000, 30_000]);
  assert.equal(quiet.gatherMs(), 1000);
  assert.equal(quiet.heldMs('lab-0', saying('Waiting'), saying('VolumesPending'), 0), 30_000);
});
