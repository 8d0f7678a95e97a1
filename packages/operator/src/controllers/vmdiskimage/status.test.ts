import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VMDiskImageCondition, VMDiskImageReason, type VMDiskImageStatus, validateManifest } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import {
  aClaim,
  aCut,
  ago,
  anEntry,
  anImage,
  aSnapshot,
  aVolume,
  cutNameOf,
  deleted,
  hash,
  now,
  nowMs,
  paused,
  synced,
  syncing,
} from '#testing/image-world.ts';
import { decide } from './decide.ts';
import type { Snapshot } from './snapshot.ts';
import { heldBackMs, quietMs, statusOf } from './status.ts';

const complete = { dataVolumes: [aVolume({ phase: 'Succeeded' })], claims: [aClaim()] };
const other = { url: 'https://images.example.com/other.qcow2' };
const failing = {
  status: 'False',
  reason: 'Error',
  message: 'Unable to connect to http data source: expected status code 200, got 404. Status: x',
};

type Want = {
  phase: string;
  ready: string;
  imported: string;
  snapshotted: string;
  reconciling: string;
  stalled: string;
  progress?: string;
};

const worlds: Record<string, { given: Snapshot; want: Want }> = {
  queued: {
    given: aSnapshot(),
    want: {
      phase: 'Queued',
      ready: 'False Queued',
      imported: 'False Queued',
      snapshotted: 'False Queued',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
    },
  },
  'policy paused': {
    given: aSnapshot({ policy: { concurrency: '0' } }),
    want: {
      phase: 'Queued',
      ready: 'False PolicyPaused',
      imported: 'False PolicyPaused',
      snapshotted: 'False PolicyPaused',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
    },
  },
  'waiting for a class': {
    given: aSnapshot({ image: { spec: { storageClass: 'none' } } }),
    want: {
      phase: 'Queued',
      ready: 'False StorageClassMissing',
      imported: 'False StorageClassMissing',
      snapshotted: 'False StorageClassMissing',
      reconciling: 'True StorageClassMissing',
      stalled: 'False StorageClassMissing',
    },
  },
  begins: {
    given: aSnapshot({ entry: anEntry() }),
    want: {
      phase: 'Syncing',
      ready: 'False Importing',
      imported: 'False Importing',
      snapshotted: 'False Importing',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
    },
  },
  importing: {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ progress: '42.97%' })] }),
    want: {
      phase: 'Syncing',
      ready: 'False Importing',
      imported: 'False Importing',
      snapshotted: 'False Importing',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
      progress: '42%',
    },
  },
  cutting: {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut({ ready: false })] }),
    want: {
      phase: 'Syncing',
      ready: 'False Snapshotting',
      imported: 'True Succeeded',
      snapshotted: 'False Snapshotting',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
      progress: '100%',
    },
  },
  succeeded: {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut()] }),
    want: {
      phase: 'Succeeded',
      ready: 'True Succeeded',
      imported: 'True Succeeded',
      snapshotted: 'True Succeeded',
      reconciling: 'False UpToDate',
      stalled: 'False UpToDate',
      progress: '100%',
    },
  },
  'succeeded, its slot not released yet': {
    given: aSnapshot({ entry: anEntry(), image: { status: synced() }, ...complete, snapshots: [aCut()] }),
    want: {
      phase: 'Succeeded',
      ready: 'True Succeeded',
      imported: 'True Succeeded',
      snapshotted: 'True Succeeded',
      reconciling: 'False UpToDate',
      stalled: 'False UpToDate',
      progress: '100%',
    },
  },
  'the snapshot is lost and cut again': {
    given: aSnapshot({ image: { status: synced() }, ...complete }),
    want: {
      phase: 'Syncing',
      ready: 'False Snapshotting',
      imported: 'True Succeeded',
      snapshotted: 'False Snapshotting',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
      progress: '100%',
    },
  },
  'the artifact is lost': {
    given: aSnapshot({ image: { status: synced() } }),
    want: {
      phase: 'Queued',
      ready: 'False ArtifactLost',
      imported: 'False ArtifactLost',
      snapshotted: 'False ArtifactLost',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
    },
  },
  'an update is queued': {
    given: aSnapshot({ image: { status: synced(), spec: other }, snapshots: [aCut()] }),
    want: {
      phase: 'Queued',
      ready: 'False Updating',
      imported: 'False Queued',
      snapshotted: 'False Queued',
      reconciling: 'True Progressing',
      stalled: 'False Progressing',
    },
  },
  'failed for good': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ running: failing })] }),
    want: {
      phase: 'Failed',
      ready: 'False SourceNotFound',
      imported: 'False SourceNotFound',
      snapshotted: 'False SourceNotFound',
      reconciling: 'False SourceNotFound',
      stalled: 'True SourceNotFound',
    },
  },
  'failed, will be retried': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ restartCount: 1 })] }),
    want: {
      phase: 'Queued',
      ready: 'False RetryBackoff',
      imported: 'False RetryBackoff',
      snapshotted: 'False RetryBackoff',
      reconciling: 'True RetryBackoff',
      stalled: 'False RetryBackoff',
    },
  },
  'withdrawn for a missing Secret': {
    given: aSnapshot({ entry: anEntry(), secret: { reason: 'SecretMissing', message: 'Secret s does not exist' } }),
    want: {
      phase: 'Queued',
      ready: 'False SecretMissing',
      imported: 'False SecretMissing',
      snapshotted: 'False SecretMissing',
      reconciling: 'True SecretMissing',
      stalled: 'False SecretMissing',
    },
  },
  'paused while queued': {
    given: aSnapshot({ image: { metadata: paused } }),
    want: {
      phase: 'Queued',
      ready: 'False Paused',
      imported: 'False Paused',
      snapshotted: 'False Paused',
      reconciling: 'False Paused',
      stalled: 'False Paused',
    },
  },
  'paused while downloading': {
    given: aSnapshot({ entry: anEntry(), image: { metadata: paused, status: syncing() }, dataVolumes: [aVolume()] }),
    want: {
      phase: 'Syncing',
      ready: 'False Paused',
      imported: 'False Importing',
      snapshotted: 'False Paused',
      reconciling: 'False Paused',
      stalled: 'False Paused',
    },
  },
  'paused with all done': {
    given: aSnapshot({ image: { metadata: paused, status: synced() }, snapshots: [aCut()] }),
    want: {
      phase: 'Succeeded',
      ready: 'True Succeeded',
      imported: 'True Succeeded',
      snapshotted: 'True Succeeded',
      reconciling: 'False UpToDate',
      stalled: 'False UpToDate',
      progress: '100%',
    },
  },
  'deleted while in use': {
    given: aSnapshot({
      image: { metadata: deleted },
      references: { count: 5, names: ['a/1', 'a/2', 'a/3'], asOf: '9', waiting: undefined },
    }),
    want: {
      phase: 'Queued',
      ready: 'False InUse',
      imported: 'False InUse',
      snapshotted: 'False InUse',
      reconciling: 'True InUse',
      stalled: 'False InUse',
    },
  },
  'being deleted': {
    given: aSnapshot({ image: { metadata: deleted } }),
    want: {
      phase: 'Queued',
      ready: 'False Deleting',
      imported: 'False Deleting',
      snapshotted: 'False Deleting',
      reconciling: 'True Deleting',
      stalled: 'False Deleting',
    },
  },
};

const brief = (status: VMDiskImageStatus): Want => {
  const of = (type: string): string => {
    const found = status.conditions?.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  return {
    phase: status.phase ?? '',
    ready: of('Ready'),
    imported: of('Imported'),
    snapshotted: of('Snapshotted'),
    reconciling: of('Reconciling'),
    stalled: of('Stalled'),
    ...(status.progress === undefined ? {} : { progress: status.progress }),
  };
};

for (const [name, { given, want }] of Object.entries(worlds))
  test(`status: ${name}`, () => {
    const status = statusOf(given, decide(given));
    assert.deepEqual(brief(status), want);
    assert.deepEqual(
      status.conditions?.map(({ type }) => type),
      Object.keys(VMDiskImageCondition),
      'all conditions, always',
    );
    for (const { reason, message, observedGeneration } of status.conditions ?? []) {
      assert.ok(Object.hasOwn(VMDiskImageReason, reason), reason);
      assert.ok(message.length > 10, message);
      assert.equal(observedGeneration, 1);
    }
    assert.equal(status.observedGeneration, 1);
    assert.deepEqual(validateManifest({ ...anImage(), status }), [], 'the API server would take it');
  });

test('computed again from itself a status does not change, so nothing is written', () => {
  for (const [name, { given }] of Object.entries(worlds)) {
    const decision = decide(given);
    const status = statusOf(given, decision);
    const again: Snapshot = { ...given, nowMs: nowMs + 60_000, image: { ...given.image, status } };
    const next = decide(again);
    // A decision that ends or completes something leads on to another one; those that last must not write.
    if (next.step.kind === decision.step.kind && !['succeed', 'lose', 'begin', 'end'].includes(next.step.kind))
      assert.deepEqual(statusOf(again, next), status, name);
  }
});

test('a transition is dated when it happens, in whole seconds, and stays dated', () => {
  const before: Override<VMDiskImageStatus> = {
    conditions: [{ type: 'Ready', status: 'False', reason: 'Queued', message: 'm', lastTransitionTime: ago(100) }],
  };
  const status = statusOf(
    ...given(
      aSnapshot({ nowMs: nowMs + 456, entry: anEntry(), image: { status: syncing(before) }, ...complete, snapshots: [aCut()] }),
    ),
  );
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.lastTransitionTime, now);
  const kept = statusOf(...given(aSnapshot({ image: { status: syncing({ ...before, retry: { lastAttempt: 1 } }) } })));
  assert.equal(kept.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime, ago(100));
});

const given = (snapshot: Snapshot): [Snapshot, ReturnType<typeof decide>] => [snapshot, decide(snapshot)];

/** A world whose image has the status it was last given, some seconds ago. */
function settled(world: Snapshot, secondsAgo: number): Snapshot {
  const earlier = { ...world, nowMs: nowMs - secondsAgo * 1000 };
  return { ...world, image: { ...world.image, status: statusOf(earlier, decide(earlier)) } };
}

test('news of a running download wait until five seconds have passed', () => {
  const started = aSnapshot({
    entry: anEntry({ since: ago(2) }),
    image: { status: syncing({ attempt: { startedAt: ago(2) } }) },
  });
  const begun = settled(started, 2);
  const moving: Snapshot = { ...begun, dataVolumes: [aVolume({ progress: '12.30%' })] };
  assert.equal(heldBackMs(moving, decide(moving), statusOf(moving, decide(moving))), 3000);
  const done: Snapshot = { ...begun, ...aSnapshot(complete), image: begun.image, slot: begun.slot };
  assert.equal(decide(done).step.kind, 'cut');
  assert.equal(heldBackMs(done, decide(done), statusOf(done, decide(done))), quietMs, 'its snapshot is only being cut');
  const later: Snapshot = { ...moving, nowMs: nowMs + 3000 };
  const status = statusOf(later, decide(later));
  assert.equal(heldBackMs(later, decide(later), status), 0);
  assert.deepEqual(
    [status.progress, status.attempt?.progressedAt, status.attempt?.dataVolumeUID],
    ['12%', new Date(nowMs + 3000).toISOString(), 'volume-1'],
  );
});

test('a stage is told when it has lasted five seconds, however long the one before it took', () => {
  const held = (world: Snapshot): number => heldBackMs(world, decide(world), statusOf(world, decide(world)));
  const started = aSnapshot({
    entry: anEntry({ since: ago(12) }),
    image: { status: syncing({ attempt: { startedAt: ago(12) } }) },
  });
  const begun = settled(started, 12);
  const waiting: Snapshot = { ...begun, dataVolumes: [aVolume({ progress: 'N/A' })] };
  assert.equal(held(waiting), 18_000, 'the UID of its volume is all there is to write');
  const moving: Snapshot = { ...begun, dataVolumes: [aVolume({ progress: '1.00%' })], memory: { movingSinceMs: nowMs - 1000 } };
  assert.equal(held(moving), 4000);
  assert.equal(held({ ...moving, nowMs: nowMs + 4000 }), 0);
  assert.equal(held({ ...moving, memory: {} }), 0, 'another process has seen it begin');
  const cutting = (age: number): Snapshot => ({
    ...begun,
    ...aSnapshot({ ...complete, snapshots: [aCut({ ready: false, age })] }),
    image: begun.image,
    slot: begun.slot,
  });
  assert.equal(decide(cutting(2)).step.kind, 'cutting');
  assert.equal(held(cutting(2)), 3000);
  assert.equal(held(cutting(5)), 0);
});

test('after a report the next one waits again, and one without news is none', () => {
  const reported = aSnapshot({
    entry: anEntry(),
    image: { status: syncing({ progress: '12%', attempt: { progressedAt: ago(1), dataVolumeUID: 'volume-1' } }) },
    dataVolumes: [aVolume({ progress: '13.00%' })],
  });
  const before = settled({ ...reported, dataVolumes: [aVolume({ progress: '12.50%' })] }, 0);
  const moving: Snapshot = { ...before, dataVolumes: [aVolume({ progress: '13.00%' })] };
  assert.equal(heldBackMs(moving, decide(moving), statusOf(moving, decide(moving))), quietMs - 1000);
  const still: Snapshot = { ...before, nowMs: nowMs + 60_000, dataVolumes: [aVolume({ progress: '12.99%' })] };
  assert.deepEqual(statusOf(still, decide(still)), before.image.status);
});

test('a fall is shown and is no progress, so that no deadline moves with it', () => {
  const world = aSnapshot({
    policy: { importRestarts: '1' },
    entry: anEntry(),
    image: { status: syncing({ progress: '50%', attempt: { progressedAt: ago(60), dataVolumeUID: 'volume-1' } }) },
    dataVolumes: [aVolume({ progress: '3.00%' })],
    memory: { falls: 1 },
  });
  const { progress, attempt } = statusOf(world, decide(world));
  assert.deepEqual([progress, attempt?.progressedAt, attempt?.falls], ['3%', ago(60), 1]);
});

test('what matters is never held back', () => {
  const begun = settled(
    aSnapshot({ entry: anEntry({ since: ago(1) }), image: { status: syncing({ attempt: { startedAt: ago(1) } }) } }),
    1,
  );
  const allowing = { policy: { ...begun.policy, importRestarts: 9 } };
  const worth: Record<string, Snapshot> = {
    'the end': { ...begun, dataVolumes: [aVolume({ running: failing })] },
    success: { ...begun, ...aSnapshot({ ...complete, snapshots: [aCut()] }), image: begun.image, slot: begun.slot },
    'another cut': {
      ...begun,
      ...aSnapshot({ ...complete, snapshots: [aCut({ error: 'x', age: 99 })] }),
      image: begun.image,
      slot: begun.slot,
    },
    'an importer that was killed for its memory': { ...begun, ...allowing, dataVolumes: [aVolume()], memory: { kills: 1 } },
    'a download that began again': { ...begun, ...allowing, dataVolumes: [aVolume()], memory: { falls: 1 } },
    'a machine that waits to be counted': {
      ...begun,
      dataVolumes: [aVolume()],
      references: { count: 1, names: ['a/b'], asOf: '60', waiting: '59' },
    },
    'a new generation': {
      ...begun,
      image: { ...begun.image, metadata: { ...begun.image.metadata, generation: 2 } },
      dataVolumes: [aVolume()],
    },
  };
  for (const [name, world] of Object.entries(worth)) {
    const decision = decide(world);
    assert.equal(heldBackMs(world, decision, statusOf(world, decision)), 0, name);
  }
});

test('an artifact whose snapshot has to be cut again is not Ready from that moment on', () => {
  const world = aSnapshot({ image: { status: synced() }, ...complete });
  assert.equal(heldBackMs(world, decide(world), statusOf(world, decide(world))), 0);
});

test('the artifact says all a machine needs to know', () => {
  const [snapshot, decision] = given(
    aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut()] }),
  );
  assert.deepEqual(statusOf(snapshot, decision).artifact, {
    volumeSnapshot: cutNameOf(1),
    dataVolume: aVolume().metadata.name,
    restoreSize: '11381663335',
    url: anImage().spec.url,
    sourceHash: hash,
    syncedAt: now,
  });
});

test('a DataVolume that the API server does not take is not called a download', () => {
  const world = (startedAt: string): Snapshot =>
    aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { startedAt } }) } });
  const message = (startedAt: string) => statusOf(...given(world(startedAt))).message;
  const { name } = aVolume().metadata;
  assert.equal(message(ago(29)), `downloads into DataVolume ${name}`);
  assert.equal(
    message(ago(30)),
    `creates DataVolume ${name}, not done since it got its slot at ${ago(30)}: if this lasts, the log of the operator tells what the API server answers`,
  );
});

test('a snapshot with an error that may pass says so, in the words of its driver', () => {
  const snapshots = [aCut({ ready: false, error: 'rpc error: throttled', age: 300, errorAge: 1 })];
  const world = aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots });
  assert.equal(
    statusOf(...given(world)).message,
    `cuts VolumeSnapshot ${cutNameOf(1)}, which has an error that may pass: rpc error: throttled`,
  );
});

test('what keeps the slot of an ended attempt is named once it has for a minute', () => {
  const told = (seconds: number, attempt = 1): VMDiskImageStatus => {
    const status = syncing({ retry: { lastAttempt: 1, failures: 1, lastReason: 'ImportFailed', lastMessage: 'broken' } });
    const memory = { slotHolder: { attempt, what: 'Pod importer-disk', sinceMs: nowMs - seconds * 1000 } };
    const snapshot = aSnapshot({ image: { status }, entry: anEntry({ state: 'closing' }), memory });
    const decision = decide(snapshot);
    assert.equal(decision.step.kind, 'clear');
    return statusOf(snapshot, decision);
  };
  const before = told(59);
  const after = told(60);
  const note = '; the slot of its last attempt stays taken until Pod importer-disk is gone: look at what holds it';
  assert.equal(after.message, `${before.message}${note}`);
  assert.deepEqual(
    after.conditions?.map(({ message }) => message),
    before.conditions?.map(({ message }) => `${message}${note}`),
  );
  assert.deepEqual([before.phase, after.phase], ['Queued', 'Queued']);
  assert.equal(told(60, 2).message, before.message, 'of another attempt');
});
