import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from '#platform/core.ts';
import { aMachine, aRootDisk, aSnapshot, diskNameOf } from '#testing/machine-world.ts';
import { growthOf } from './disk-size.ts';

const machine = aMachine({ spec: { resources: { diskSize: '20Gi' } } });
const name = diskNameOf(machine);
const has = `root disk ${name} has 11Gi, and resources.diskSize asks for 20Gi`;
const pending = 'its volume is being made larger';

interface Case {
  readonly asked?: string;
  readonly held?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly isFixed?: true;
  readonly want: readonly [message?: string, request?: string];
}
const cases: Record<string, Case> = {
  'large enough': { held: '20Gi', want: [] },
  'larger than asked for: never made smaller': { held: '30Gi', want: [] },
  'too small: its claim asks for more': { mode: 'Block', want: [`${has}: ${pending}`, '21474836480'] },
  'on a file system: for what that takes as well': { want: [`${has}: ${pending}`, '22763326669'] },
  'asked for already': {
    asked: '20Gi',
    want: [`${has}: ${pending}; if it lasts, the events of PersistentVolumeClaim ${name} say why`],
  },
  'a class that cannot': {
    isFixed: true,
    want: [
      `${has}, but its StorageClass slow cannot expand volumes; set allowVolumeExpansion there, or lower resources.diskSize`,
    ],
  },
  'a claim of somebody else': { owner: 'another', want: [] },
};
for (const [what, { asked = '11Gi', held = '11Gi', mode, owner = 'disk', isFixed, want }] of Object.entries(cases))
  test(`size of a root disk that exists: ${what}`, () => {
    const reference = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name, uid: owner, controller: true };
    const claim: Claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, ownerReferences: [reference] },
      spec: {
        storageClassName: 'slow',
        resources: { requests: { storage: asked } },
        ...(mode === undefined ? {} : { volumeMode: mode }),
      },
      status: { phase: 'Bound', capacity: { storage: held } },
    };
    const platform = { ...aSnapshot().platform, canExpand: () => isFixed !== true };
    const growth = growthOf(aSnapshot({ machine, claim, platform }), aRootDisk(machine));
    assert.deepEqual([growth?.finding.message, growth?.request], [want[0], want[1]]);
  });
