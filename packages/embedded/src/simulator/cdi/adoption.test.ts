import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, DataVolume } from '../objects.ts';
import { defaultScenario } from '../scenario/scenario.ts';
import { decideDataVolume } from './decide.ts';
import type { DataVolumeView } from './view.ts';

const dataVolume = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: {
    name: 'root',
    namespace: 'lab',
    uid: 'volume',
    resourceVersion: '7',
    annotations: { 'cdi.kubevirt.io/allowClaimAdoption': 'true' },
  },
  spec: { source: { snapshot: { name: 'cut' } } },
} as unknown as DataVolume;
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'root', namespace: 'lab', uid: 'claim', resourceVersion: '9' },
} as unknown as Claim;
const view = {
  dataVolume,
  claim,
  isServed: true,
  hasDriver: true,
  attempt: 1,
  switches: {},
  problems: [],
  scenario: defaultScenario,
};

test('a claim is taken up only if it and the DataVolume are still as they were seen', () => {
  const { effects } = decideDataVolume(view as unknown as DataVolumeView, { nowMs: 0 } as never);
  assert.deepEqual(
    effects.map((effect) => effect.do === 'patch' && [effect.kind, effect.target.uid, effect.body.metadata]),
    [
      ['DataVolume', 'volume', { resourceVersion: '7' }],
      [
        'PersistentVolumeClaim',
        'claim',
        {
          resourceVersion: '9',
          ownerReferences: [
            {
              apiVersion: 'cdi.kubevirt.io/v1beta1',
              kind: 'DataVolume',
              name: 'root',
              uid: 'volume',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
          annotations: {
            'cdi.kubevirt.io/clonePhase': 'Succeeded',
            'cdi.kubevirt.io/storage.populatedFor': 'root',
          },
        },
      ],
    ],
  );
});
