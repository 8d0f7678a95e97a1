import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workspace } from '@terrain/api';
import { time, workspace } from '../testing/workspace.ts';
import { renderList } from './list.ts';
import { judge } from './state.ts';

const condition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: time,
});

const verdicts: Record<string, { given: Workspace; want: ReturnType<typeof judge> }> = {
  'no status': { given: workspace(), want: { kind: 'waiting', message: 'the operator has not seen it yet' } },
  'ready for a former spec': {
    given: workspace({
      metadata: { generation: 2 },
      status: { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
    }),
    want: { kind: 'waiting', message: 'the operator has not seen its latest change yet' },
  },
  ready: {
    given: workspace({ status: { observedGeneration: 1, conditions: [condition('Ready', 'True')] } }),
    want: { kind: 'ready' },
  },
  'something a person must solve': {
    given: workspace({
      status: { observedGeneration: 1, phase: 'Failed', message: 'bad cidr', conditions: [condition('Stalled', 'True')] },
    }),
    want: { kind: 'failed', message: 'bad cidr' },
  },
  'on its way': {
    given: workspace({ status: { observedGeneration: 1, phase: 'Provisioning', ready: '1/3', message: 'waits for web' } }),
    want: { kind: 'waiting', message: '1/3 ready, waits for web' },
  },
  'being deleted': {
    given: workspace({ metadata: { deletionTimestamp: time } }),
    want: { kind: 'failed', message: 'it is being deleted' },
  },
};
for (const [name, { given, want }] of Object.entries(verdicts))
  test(`a workspace: ${name}`, () => assert.deepEqual(judge(given), want));

test('a list has one line for each workspace', () => {
  const nowMs = Date.parse(time) + 3_600_000;
  const given = [workspace({ status: { phase: 'Ready', ready: '3/3', message: 'all there', namespace: 'workspace-lab-7' } })];
  assert.equal(
    renderList(given, { nowMs, isWide: false }),
    'NAME   PHASE  READY  AGE  MESSAGE\nlab-7  Ready  3/3    60m  all there\n',
  );
  assert.equal(
    renderList(given, { nowMs, isWide: true }).split('\n')[1],
    'lab-7  Ready  3/3    60m  workspace-lab-7  1    0         1         0        all there',
  );
});
