import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aVMDiskImage, stored } from '@terrain/api/testing';
import { aCondition, aKubevirtMachine, aMachine, aReadyImage, aRootDisk, aSnapshot, diskNameOf } from '#testing/machine-world.ts';
import { decide } from './decide.ts';
import type { Snapshot } from './snapshot.ts';

const machine = aMachine();
const withTemplate = aMachine({ spec: { vmDiskImageTemplate: { sourceType: 'blank', diskSize: '1Gi' } } });
const reset = aMachine({ spec: { resetToken: 'x' } });
const deleted = '2026-01-15T09:59:00Z';
const disk = aRootDisk(machine);
const failed = aRootDisk(machine, { phase: 'Failed' });
const scheduled = aRootDisk(machine, { phase: 'CloneScheduled' });
const givenUp = { observedGeneration: 1, conditions: [aCondition('Ready', 'False'), aCondition('Stalled', 'True')] };
const ready = aReadyImage();
const outdated = {
  ...ready,
  spec: { ...ready.spec, url: 'https://images.example.com/newer.qcow2' },
  status: { ...ready.status, ...givenUp },
};
const fromAnother = { ...disk, spec: { source: { snapshot: { namespace: 'vmdi-farm', name: 'cut-of-another' } } } };

/** Step, then the reasons of image and disk. */
const cases: Record<string, { given: Partial<Snapshot>; want: string }> = {
  'no image and no template: wait': { given: { image: undefined }, want: 'rest DiskImageMissing Waiting' },
  'no image but a template: make it': {
    given: { image: undefined, machine: withTemplate },
    want: 'createImage DiskImageNotReady Waiting',
  },
  'no namespace for the image: wait, template or not': {
    given: { image: undefined, machine: withTemplate, imageNamespace: 'absent' },
    want: 'rest DiskImageMissing Waiting',
  },
  'an image on its way out is not cloned': {
    given: { image: { ...ready, metadata: { ...ready.metadata, deletionTimestamp: deleted } } },
    want: 'rest ImageGone Waiting',
  },
  'an image that says nothing yet': { given: { image: stored(aVMDiskImage()) }, want: 'rest DiskImageNotReady Waiting' },
  'an image that does not count this version of the machine': {
    given: { image: aReadyImage({ status: { referencesAsOf: '0' } }) },
    want: 'rest ReferencePending Waiting',
  },
  'an image whose spec has moved on from its download': {
    given: { image: { ...ready, spec: { ...ready.spec, url: 'https://images.example.com/newer.qcow2' } } },
    want: 'rest DiskImageNotReady Waiting',
  },
  'an image that was given up': {
    given: { image: { ...stored(aVMDiskImage()), status: givenUp } },
    want: 'rest DiskImageFailed Waiting',
  },
  'one that was given up with an older download: clone that': { given: { image: outdated }, want: 'clone OldArtifact Waiting' },
  'a ready image: clone': { given: {}, want: 'clone Ready Waiting' },
  'without CDI: wait': {
    given: { platform: { ...aSnapshot().platform, hasDataVolumes: false } },
    want: 'rest Ready PlatformMissing',
  },
  'without the class: wait': {
    given: { platform: { ...aSnapshot().platform, hasStorageClass: () => false } },
    want: 'rest Ready StorageClassMissing',
  },
  'a claim of the disk’s name on its way out: wait': {
    given: { claim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { deletionTimestamp: deleted } } },
    want: 'rest Cloned Cloning',
  },
  'the same while there is a machine: somebody’s work may be on it': {
    given: {
      claim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { deletionTimestamp: deleted } },
      kubevirt: aKubevirtMachine('Always'),
    },
    want: 'rest Cloned RootDiskLost',
  },
  'a clone under way': { given: { disks: [scheduled] }, want: 'rest Cloned Cloning' },
  'a clone that waits to grow': {
    given: { disks: [aRootDisk(machine, { phase: 'PrepClaimInProgress' })] },
    want: 'rest Cloned ExpansionPending',
  },
  'a clone whose source went before it began: begin again': {
    given: { disks: [scheduled], sources: new Set() },
    want: 'clear Cloned CloneFailed',
  },
  'a clone that has begun keeps its copy, source or not': {
    given: { disks: [aRootDisk(machine, { phase: 'RebindInProgress' })], sources: new Set() },
    want: 'rest Cloned Cloning',
  },
  'a clone that failed: thrown away': { given: { disks: [failed] }, want: 'clear Cloned CloneFailed' },
  'a disk that fails under a machine is never thrown away': {
    given: { disks: [failed], kubevirt: aKubevirtMachine('Always') },
    want: 'rest Cloned RootDiskLost',
  },
  'a disk that is there: run': { given: { disks: [disk] }, want: 'run Cloned Cloned' },
  'a disk that is there, its image gone: run all the same': {
    given: { disks: [disk], image: undefined },
    want: 'run ImageGone Cloned',
  },
  'a disk of an older download says so': { given: { disks: [disk], image: outdated }, want: 'run OldArtifact Cloned' },
  'a disk of another image is not of the older download of the one that is named now': {
    given: { disks: [fromAnother], image: outdated },
    want: 'run Cloned Cloned',
  },
  'another reset token: the old disk goes': {
    given: { machine: reset, disks: [disk], kubevirt: aKubevirtMachine('Always') },
    want: 'clear Ready Resetting',
  },
  'another reset token while there is nothing to clone: nothing goes': {
    given: { machine: reset, disks: [disk], image: undefined },
    want: 'rest DiskImageMissing Resetting',
  },
  'paused: nothing is done': {
    given: { machine: aMachine({ metadata: { annotations: { 'pelotech.ot/paused': 'true' } } }) },
    want: 'rest Ready Waiting',
  },
  'deleted: removed': {
    given: { machine: aMachine({ metadata: { deletionTimestamp: deleted } }) },
    want: 'remove Ready Waiting',
  },
  'deleted and paused: held': {
    given: { machine: aMachine({ metadata: { deletionTimestamp: deleted, annotations: { 'pelotech.ot/paused': 'true' } } }) },
    want: 'rest Ready Waiting',
  },
  'deleted and paused in a namespace on its way out: removed': {
    given: {
      isNamespaceTerminating: true,
      machine: aMachine({ metadata: { deletionTimestamp: deleted, annotations: { 'pelotech.ot/paused': 'true' } } }),
    },
    want: 'remove Ready Waiting',
  },
  'in a namespace on its way out nothing new is made': { given: { isNamespaceTerminating: true }, want: 'rest Ready Waiting' },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(name, () => {
    const { step, image, disk: found } = decide(aSnapshot(given));
    assert.equal(`${step.kind} ${image.reason} ${found.reason}`, want);
  });

test('a reset takes the machine away before the disk, and the disk it throws away is the old one', () => {
  const kubevirt = aKubevirtMachine('Always');
  const { step } = decide(aSnapshot({ machine: reset, disks: [disk], kubevirt }));
  assert.deepEqual(step, { kind: 'clear', disks: [disk], kubevirt });
  assert.notEqual(diskNameOf(reset), diskNameOf(machine));
});

test('a clone that failed is given time, so that there is one try in half a minute', () => {
  const young = { ...failed, metadata: { ...failed.metadata, creationTimestamp: '2026-01-15T09:59:50Z' } };
  const { step, atMs } = decide(aSnapshot({ disks: [young] }));
  assert.deepEqual([step.kind, atMs], ['rest', Date.parse('2026-01-15T10:00:20Z')]);
});

test('quota is told apart from other troubles of a clone, and what CDI says is quoted', () => {
  const bound = { type: 'Bound', status: 'False', reason: 'ErrExceededQuota', message: 'exceeded quota: tight' };
  const { disk: found } = decide(aSnapshot({ disks: [aRootDisk(machine, { phase: 'Pending', conditions: [bound] })] }));
  assert.equal(found.reason, 'QuotaExceeded');
  assert.match(found.message, /exceeded quota: tight/);
});

test('a disk that was lost is not said to be cloned again', () => {
  const bound = { type: 'Bound', status: 'False', reason: 'ClaimLost', message: 'Claim Lost' };
  const lost = aRootDisk(machine, { phase: 'Failed', conditions: [bound] });
  const { disk: found } = decide(aSnapshot({ disks: [lost], kubevirt: aKubevirtMachine('Always') }));
  assert.match(found.message, /has lost its volume: Claim Lost; restore the volume, or change resetToken/);
});
