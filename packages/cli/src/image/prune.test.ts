import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, labels, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { aVirtualMachine, type Override, uidOf } from '@terrain/api/testing';
import { anImage, hash, readyStatus, waitingStatus } from '../testing/image.ts';
import { planPrune } from './prune.ts';
import { forPrograms, problemsOf, renderPlan, renderPruned } from './prune-report.ts';
import { keyOf } from './state.ts';

const nowMs = Date.parse('2026-01-03T00:00:00Z');
const synced = { ...readyStatus, references: 0, unreferencedSince: '2026-01-01T00:00:00Z' };
const unused = (name: string, change: Override<VMDiskImage> = {}): VMDiskImage => anImage(name, { status: synced, ...change });
const fromTemplate = (name: string, since: string): VMDiskImage =>
  unused(name, {
    metadata: { labels: { [labels.createdBy]: 'x' } },
    status: { ...synced, unreferencedSince: since, artifact: { ...readyStatus.artifact!, restoreSize: '12Gi' } },
  });
const machine = (image: string, namespace: string): VirtualMachine =>
  aVirtualMachine({
    metadata: { name: 'vm', namespace },
    spec: { vmDiskImageRef: { name: image, namespace: namespace === 'farm' ? '' : 'farm' } },
  });
const gaveUp = { sourceHash: hash, gaveUp: { at: '2026-01-02T23:00:00Z', reason: 'SourceNotFound' } };
const failed = anImage('failed', {
  status: { phase: 'Failed', references: 0, unreferencedSince: '2026-01-01T00:00:00Z', retry: gaveUp },
});
const owner = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'DataSync', name: 'lab', uid: 'd', controller: true };

const images: readonly VMDiskImage[] = [
  fromTemplate('template-old', '2026-01-02T22:00:00Z'),
  fromTemplate('template-new', '2026-01-02T23:30:00Z'),
  unused('preloaded'),
  unused('used-here'),
  unused('used-elsewhere'),
  unused('counted', { status: { ...synced, references: 5, referencedBy: ['a/b', 'a/c', 'a/d'] } }),
  unused('retained', { spec: { retain: true } }),
  unused('of-a-set', { metadata: { ownerReferences: [owner] } }),
  unused('paused', { metadata: { annotations: { [annotations.paused]: 'true' } } }),
  unused('holds-a-slot'),
  anImage('waits', {
    status: { ...waitingStatus('2026-01-01T00:00:00Z', '1'), references: 0, unreferencedSince: '2026-01-01T00:00:00Z' },
  }),
  anImage('unseen', { status: { ...readyStatus } }),
  failed,
  unused('going', { metadata: { deletionTimestamp: '2026-01-02T00:00:00Z' } }),
];
const machines = [machine('used-here', 'farm'), machine('used-elsewhere', 'lab')];
const active = new Set([uidOf(anImage('holds-a-slot'))]);

function plan(
  wish: { olderThanMs?: number; hasFailed?: boolean } = {},
  policy: Record<string, string> = { templateImageTTL: '1h', unreferencedTTL: '' },
  given = images,
) {
  const { olderThanMs, hasFailed = false } = wish;
  return planPrune({ images: given, machines, active, policy: new Map(Object.entries(policy)), olderThanMs, hasFailed, nowMs });
}
const goingOf = (...args: Parameters<typeof plan>): string[] => plan(...args).going.map(({ image }) => image.metadata.name);

test('by itself only what the policy gives up goes', () => {
  assert.deepEqual(goingOf(), ['template-old']);
  assert.deepEqual(goingOf({}, { templateImageTTL: '', unreferencedTTL: '' }), []);
  assert.deepEqual(goingOf({}, { templateImageTTL: '3h', unreferencedTTL: '1h' }), ['preloaded', 'failed']);
});

test('a person may ask for more, never for what is protected', () => {
  assert.deepEqual(goingOf({ olderThanMs: 0 }), ['template-old', 'template-new', 'preloaded', 'failed']);
  assert.deepEqual(goingOf({ hasFailed: true }), ['template-old', 'failed']);
  // Synced a while after it was last referred to: it could not have been used before.
  assert.deepEqual(goingOf({ olderThanMs: 48 * 3_600_000 }), []);
});

test('what became of a former source does not make the one of now older', () => {
  const former = { ...readyStatus.artifact!, sourceHash: 'former' };
  const givenUp = unused('given-up', { status: { ...synced, phase: 'Failed', artifact: former, retry: gaveUp } });
  const untold = unused('untold', { status: { ...synced, artifact: former, retry: { gaveUp: gaveUp.gaveUp } } });
  const { going, kept } = plan({}, { unreferencedTTL: '12h' }, [givenUp, untold]);
  assert.deepEqual(going, []);
  assert.deepEqual(
    kept.map(({ why }) => why),
    [
      'unused for 60m, kept until 12h 00m (unreferencedTTL)',
      'the operator has not said yet since when its source can be used or is given up',
    ],
  );
  assert.deepEqual(goingOf({}, { unreferencedTTL: '1h' }, [givenUp, untold]), ['given-up']);
});

test('each that stays says why', () => {
  const { kept } = plan();
  assert.deepEqual(Object.fromEntries(kept.map(({ image, kind, why }) => [image.metadata.name, `${kind}: ${why}`])), {
    'template-new': 'not old enough: unused for 30m, kept until 1h 00m (templateImageTTL)',
    preloaded: 'not old enough: unreferencedTTL is not set: only --older-than takes it',
    'used-here': 'in use: used by farm/vm',
    'used-elsewhere': 'in use: used by lab/vm',
    counted: 'in use: used by a/b, a/c, a/d, 2 more',
    retained: 'retained: spec.retain is true',
    'of-a-set': 'of a DataSync: belongs to DataSync lab: remove it there',
    paused: 'paused: paused, which would hold up its deletion: remove the annotation pelotech.ot/paused first',
    'holds-a-slot': 'not ready yet: Succeeded: cancel it first if nobody needs it',
    waits: 'not ready yet: Queued: cancel it first if nobody needs it',
    unseen: 'not looked at yet: the operator has not counted its references yet',
    failed: 'not old enough: unreferencedTTL is not set: only --older-than takes it',
  });
});

test('people see what goes, what that frees, and how many stay for which reason', () => {
  const some = { ...plan({ hasFailed: true }), kept: plan().kept.slice(0, 4) };
  assert.equal(
    renderPlan(some, { isWide: false }),
    [
      'IMAGE              FREES   WHY',
      'farm/template-old  12 GiB  unused for 2h, longer than 1h 00m (templateImageTTL)',
      'farm/failed        -       given up (SourceNotFound)',
      '',
      '2 images can go: 12 GiB of disks. 4 stay: 2 not old enough, 2 in use. -o wide says why for each.',
      '',
    ].join('\n'),
  );
  assert.match(renderPlan(some, { isWide: true }), /^farm\/used-here +stays +used by farm\/vm$/m);
  assert.equal(renderPlan({ going: [], kept: [] }, { isWide: false }), 'Nothing to prune.\n');
});

test('what was done is told, for each that stayed the reason', () => {
  const { going, kept } = plan({ olderThanMs: 0 });
  const [first, second, third] = going;
  const pruned = [
    { candidate: first! },
    { candidate: second!, problem: 'it was changed meanwhile.' },
    { candidate: third!, isGoneAlready: true as const },
  ];
  assert.equal(
    renderPruned(pruned),
    [
      'Deleted 1 image; the operator clears away 12 GiB of disks with their snapshots.',
      'farm/preloaded is gone already.',
      '',
    ].join('\n'),
  );
  assert.deepEqual(problemsOf(pruned), ['farm/template-new was not deleted: it was changed meanwhile.']);
  const told = forPrograms({ going: going.slice(0, 3), kept: kept.slice(0, 1) }, pruned) as {
    going: { outcome: string }[];
    kept: { image: string }[];
  };
  assert.deepEqual(
    [told.going.map(({ outcome }) => outcome), told.kept.map(({ image }) => image)],
    [['deleted', 'it was changed meanwhile.', 'gone already'], [kept[0] === undefined ? '' : keyOf(kept[0].image)]],
  );
});
