import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { observing } from './watched.ts';

const quick = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 100, bind: 20, snapshot: 50, podStop: 20 },
};
const retry = 'pelotech.ot/retry';
const cancel = 'pelotech.ot/cancel';
const paused = 'pelotech.ot/paused';

test('given up stays given up, also when retryLimit is raised; a retry gives another set of attempts, once', async () => {
  await using stage = await Stage.open({ scenario: quick, policy: { retryLimit: '0', retryBackoffDuration: '50ms' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('debian', { sim: 'fail:1' });
    await stage.phase('debian', 'Failed');
    await stage.setPolicy({ retryLimit: '5', retryBackoffDuration: '50ms' });
    await stage.until('the policy', () => stage.ledger().policy.get('retryLimit') === '5');
    await stage.changeSpec('debian', { retain: true });
    await stage.until('the change to be seen', () => stage.image('debian')?.status?.observedGeneration === 2);
    assert.equal(stage.image('debian')?.status?.phase, 'Failed');
    await stage.annotate('debian', { [retry]: 'now' });
    const image = await stage.phase('debian', 'Succeeded');
    assert.deepEqual([image.status?.attempt?.number, image.status?.retry?.token], [2, 'now']);
  });
});

test('cancelling ends a download and gives up; it goes on after the annotation is gone and a retry is asked for', async () => {
  await using stage = await Stage.open({ scenario: quick });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('debian', { sim: 'import:600s' });
    await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
    await stage.annotate('debian', { [cancel]: 'please' });
    const image = await stage.phase('debian', 'Failed');
    assert.equal(image.status?.retry?.gaveUp?.reason, 'Cancelled');
    await stage.until(
      'the download to be gone and the slot free',
      () => stage.things(types.dataVolumes).length === 0 && stage.ledger().entries.size === 0,
    );
    await stage.annotate('debian', { [cancel]: null, [retry]: '1' });
    await stage.until('another download', () => stage.things(types.dataVolumes)[0]);
  });
});

test('a paused image takes no slot and keeps its place; one paused while it waits is not admitted', async () => {
  await using stage = await Stage.open({ scenario: quick, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('first', { sim: 'import:3s' });
    await stage.phase('first', 'Syncing');
    await stage.createImage('second', { metadata: { annotations: { [paused]: 'true' } } });
    await stage.createImage('third', { sim: 'import:600s' });
    await stage.reason('second', 'Paused');
    await stage.phase('third', 'Syncing');
    assert.equal(stage.image('second')?.status?.attempt, undefined);
    await stage.annotate('second', { [paused]: null });
    await stage.reason('second', 'Queued');
    assert.ok((stage.image('second')?.status?.queuedAt ?? '') <= (stage.image('third')?.status?.queuedAt ?? ''));
  });
});

test('a download that completes during a pause gives its slot to others, and is cut without one afterwards', async () => {
  await using stage = await Stage.open({ scenario: quick, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('first', { sim: 'import:2s' });
    await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
    await stage.annotate('first', { [paused]: 'true' });
    await stage.createImage('second');
    await stage.phase('second', 'Succeeded');
    assert.equal(stage.things(types.snapshots).length, 1, 'nothing is cut for the paused one');
    await stage.setPolicy({ concurrency: '0' });
    await stage.annotate('first', { [paused]: null });
    const image = await stage.phase('first', 'Succeeded');
    assert.equal(image.status?.attempt?.number, 1);
  });
});

test('a pause does not keep a download that hangs: its deadline frees the slot, and the image rests paused', async () => {
  await using stage = await Stage.open({ scenario: quick, policy: { concurrency: '1', noProgressTimeout: '5s' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('hanging', { sim: 'stuck' });
    await stage.until(
      'a pod nobody places',
      () => stage.things(types.dataVolumes)[0]?.status?.phase === 'ImportScheduled' && stage.ledger().entries.size === 1,
    );
    await stage.annotate('hanging', { [paused]: 'true' });
    await stage.reason('hanging', 'Paused');
    assert.equal(stage.image('hanging')?.status?.retry?.failures, undefined, 'paused before the deadline');
    await stage.createImage('second');
    await stage.phase('second', 'Succeeded');
    const { status } = await stage.reason('hanging', 'Paused');
    assert.deepEqual([status?.retry?.failures, status?.retry?.lastReason], [1, 'NoProgress']);
    assert.deepEqual(
      stage.things(types.dataVolumes).map(({ metadata }) => metadata.labels?.['pelotech.ot/image']),
      ['second'],
    );
  });
});
