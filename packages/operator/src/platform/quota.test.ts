import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leavesRoom, type ResourceQuota } from './quota.ts';

const quota = (hard: string, used?: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'tight', namespace: 'lab' },
  spec: { hard: { pods: '5', 'requests.cpu': hard } },
  ...(used === undefined
    ? {}
    : { status: { hard: { pods: '5', 'requests.cpu': hard }, used: { pods: '2', 'requests.cpu': used } } }),
});

const cases: Record<string, { before?: ResourceQuota; after?: ResourceQuota; want: boolean }> = {
  'a new one takes room': { after: quota('1'), want: false },
  'one that goes leaves room': { before: quota('1', '1'), want: true },
  'one that is raised': { before: quota('1', '1'), after: quota('1500m', '1'), want: true },
  'one that is lowered': { before: quota('2', '1'), after: quota('1', '1'), want: false },
  'something that was counted is gone': { before: quota('1', '900m'), after: quota('1', '0.5'), want: true },
  'something more is counted': { before: quota('1', '500m'), after: quota('1', '900m'), want: false },
  'counted for the first time': { before: quota('1'), after: quota('1', '0'), want: false },
};
for (const [name, { before, after, want }] of Object.entries(cases))
  test(`room in a quota: ${name}`, () => {
    const key = 'lab/tight';
    const change =
      after === undefined
        ? ({ type: 'deleted', key, old: before! } as const)
        : before === undefined
          ? ({ type: 'added', key, new: after } as const)
          : ({ type: 'updated', key, old: before, new: after } as const);
    assert.equal(leavesRoom(change), want);
  });
