import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { anImage, readyStatus as imageStatus } from '../testing/image.ts';
import { aMachine, readyStatus } from '../testing/machine.ts';
import { imageAddress, type KnownImage, resetPlan } from './reset.ts';

const spec = { vmDiskImageRef: { name: 'debian', namespace: 'farm' } };
const ready: KnownImage = { image: anImage('debian', { status: imageStatus }) };
const lost = 'Everything on the root disk web-1-root of lab/web is lost, for good.';
const cloned = 'A new disk is cloned from snapshot a-snap of image farm/debian, synced 2026-01-01T00:10:00Z.';
const restarted = 'The machine is stopped for it and started again; addresses and users are set up anew.';

const cases: Record<string, { given: Override<VirtualMachine>; image: KnownImage; want: readonly string[] }> = {
  'a machine that runs': { given: { spec, status: readyStatus }, image: ready, want: [lost, cloned, restarted] },
  'a machine that is stopped': {
    given: { spec: { ...spec, powerState: 'Stopped' }, status: readyStatus },
    image: ready,
    want: [lost, cloned, 'The machine stays stopped; addresses and users are set up anew at its next start.'],
  },
  'a machine without a disk': {
    given: { spec },
    image: ready,
    want: ['lab/web has no root disk that is known of yet: if one is being made, it is thrown away.', cloned, restarted],
  },
  'an image that was given up': {
    given: { spec, status: readyStatus },
    image: { image: anImage('debian', { status: { phase: 'Failed', message: 'the server says 404' } }) },
    want: [
      lost,
      'The image farm/debian cannot be cloned now (the server says 404): until it can, the machine has no disk at all.',
      restarted,
    ],
  },
  'an image one may not read': {
    given: { spec, status: readyStatus },
    image: { unknown: 'which you may not read' },
    want: [lost, 'A new disk is cloned from image farm/debian (which you may not read).', restarted],
  },
  'a machine that is paused': {
    given: { metadata: { annotations: { 'pelotech.ot/paused': 'true' } }, spec, status: readyStatus },
    image: ready,
    want: [lost, cloned, restarted, 'Note: it is paused: nothing happens until the annotation pelotech.ot/paused is removed.'],
  },
};
for (const [name, { given, image, want }] of Object.entries(cases))
  test(`a reset of ${name} tells what is lost and what comes`, () =>
    assert.deepEqual(resetPlan(aMachine('web', given), image), want));

test('an image without a namespace is in that of its machine', () => {
  for (const vmDiskImageRef of [
    { name: 'debian', namespace: undefined },
    { name: 'debian', namespace: '' },
  ])
    assert.deepEqual(imageAddress(aMachine('web', { spec: { vmDiskImageRef } })), { namespace: 'lab', name: 'debian' });
});
