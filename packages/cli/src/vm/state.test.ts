import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { aMachine, readyStatus } from '../testing/machine.ts';
import { cautions, judge, wantedPower } from './state.ts';

const verdicts: Record<string, { given: Override<VirtualMachine>; want: object }> = {
  'not seen yet': { given: {}, want: { kind: 'waiting', message: 'the operator has not seen it yet' } },
  ready: { given: { status: readyStatus }, want: { kind: 'ready' } },
  'ready before its last change': {
    given: { metadata: { generation: 2 }, status: readyStatus },
    want: { kind: 'waiting', message: 'the operator has not seen its latest change yet' },
  },
  'failed before its last change': {
    given: { metadata: { generation: 2 }, status: { observedGeneration: 1, phase: 'Failed', message: 'no' } },
    want: { kind: 'waiting', message: 'the operator has not seen its latest change yet' },
  },
  'on its way': {
    given: { status: { observedGeneration: 1, phase: 'Provisioning', message: 'image\u001b[2J farm/debian is queued' } },
    want: { kind: 'waiting', message: 'image [2J farm/debian is queued' },
  },
  'on its way without a word': {
    given: { status: { observedGeneration: 1, phase: 'Provisioning' } },
    want: { kind: 'waiting', message: 'Provisioning' },
  },
  failed: {
    given: { status: { observedGeneration: 1, phase: 'Failed', message: 'the name is taken' } },
    want: { kind: 'gaveUp', message: 'the name is taken' },
  },
  'ready, but going': {
    given: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: readyStatus },
    want: { kind: 'gaveUp', message: 'it is being deleted' },
  },
};
for (const [name, { given, want }] of Object.entries(verdicts))
  test(`a machine that is ${name}`, () => assert.deepEqual(judge(aMachine('web', given)), want));

const powers: Record<string, { given: Override<VirtualMachine['spec']>; want: string }> = {
  nothing: { given: {}, want: 'Running' },
  ignoreOnDeploy: { given: { ignoreOnDeploy: true }, want: 'Stopped' },
  'ignoreOnDeploy and powerState Running': { given: { ignoreOnDeploy: true, powerState: 'Running' }, want: 'Running' },
  'powerState Stopped': { given: { powerState: 'Stopped' }, want: 'Stopped' },
};
for (const [name, { given, want }] of Object.entries(powers))
  test(`a spec with ${name} asks for ${want}`, () => assert.equal(wantedPower(aMachine('web', { spec: given })), want));

test('a machine that is paused or belongs to a workspace is said to', () => {
  assert.deepEqual(cautions(aMachine('web')), []);
  const owner = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'Workspace', name: 'demo', uid: 'u' };
  assert.deepEqual(
    cautions(aMachine('web', { metadata: { annotations: { 'pelotech.ot/paused': 'true' }, ownerReferences: [owner] } })),
    [
      'it is paused: nothing happens until the annotation pelotech.ot/paused is removed',
      'it belongs to the Workspace demo: what that says about this machine counts in the end',
    ],
  );
  assert.equal(cautions(aMachine('web', { metadata: { labels: { 'pelotech.ot/workspace': 'demo' } } })).length, 1);
});
