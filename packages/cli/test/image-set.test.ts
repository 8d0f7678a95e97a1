import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type DataSync, type DataSyncStatus, dataSyncKind, labels } from '@terrain/api';
import { aDataSync } from '@terrain/api/testing';
import { Resource } from '@terrain/runtime';
import { at, Farm, failed, ready, type Seed } from './image-farm.ts';
import type { Running } from './run-terrain.ts';

const { group, version, plural } = dataSyncKind;
const condition = (type: string, reason: string) => ({
  type,
  status: 'True' as const,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const stalled: DataSyncStatus = {
  observedGeneration: 1,
  message: '0 of 1 images can be cloned; debian failed: debian the server says 404',
  conditions: [condition('Stalled', 'ImagesFailed')],
  images: [{ name: 'debian', vmDiskImage: at.name, phase: 'Failed', message: 'the server says 404' }],
  counts: { total: 1, queued: 0, syncing: 0, succeeded: 0, failed: 1 },
};

/** A set whose only image was given up. */
async function withFailedSet(reason: string, work: (farm: Farm, report: (status: object) => Promise<void>) => Promise<void>) {
  await using farm = await Farm.start();
  const set = { namespace: at.namespace, name: 'lab' };
  farm.fake.seed(aDataSync({ metadata: set }) as unknown as Seed);
  const sets = new Resource<DataSync>(farm.connection, { group, version, plural, namespaced: true });
  const report = async (status: object): Promise<void> =>
    void (await sets.mergePatch({ ...set, subresource: 'status' }, { status }));
  await report({ ...stalled, conditions: [condition('Stalled', reason)] });
  await farm.add({ metadata: { labels: { [labels.dataSync]: 'lab' } }, status: failed });
  await work(farm, report);
}

async function syncAndWait(farm: Farm): Promise<Running> {
  assert.equal((await farm.run('sync', at.name, '-n', at.namespace)).code, 0);
  const waiting = farm.start('wait', '--datasync', 'lab', '-n', at.namespace);
  await waiting.printed(`farm/lab: it still tells of a failure of ${at.name} that is over; the operator has not caught up yet`);
  return waiting;
}

test('a wait for a set is not ended by a failure from before another try was asked for', () =>
  withFailedSet('ImagesFailed', async (farm, report) => {
    const waiting = await syncAndWait(farm);
    await report({ conditions: [], counts: { ...stalled.counts, syncing: 1, failed: 0 } });
    await waiting.printed('farm/lab: 0 of 1 ready, 1 downloading, 0 waiting');
    await farm.report(ready);
    await report({ conditions: [condition('Ready', 'Succeeded')] });
    assert.equal((await waiting.finished).code, 0);
  }));

test('another try that fails before the set could tell of it ends the wait, though the set says the same as before', () =>
  withFailedSet('ImagesFailed', async (farm) => {
    const waiting = await syncAndWait(farm);
    const token = (await farm.images.get(at)).metadata.annotations?.[annotations.retry] ?? '';
    await farm.report({ ...failed, retry: { ...failed.retry, token } });
    const { code, stderr } = await waiting.finished;
    assert.equal(code, 1);
    assert.match(stderr, /terrain: farm\/lab: 0 of 1 images can be cloned; debian failed: .*\n$/);
  }));

test('a set that cannot get ready whatever its images do ends the wait', () =>
  withFailedSet('NameTaken', async (farm) => {
    assert.equal((await farm.run('sync', at.name, '-n', at.namespace)).code, 0);
    assert.equal((await farm.run('wait', '--datasync', 'lab', '-n', at.namespace, '--timeout', '20s')).code, 1);
  }));

test('a set whose images were given up ends the wait', () =>
  withFailedSet('ImagesFailed', async (farm) => {
    const { code, stderr } = await farm.run('wait', '--datasync', 'lab', '-n', at.namespace, '--timeout', '20s');
    assert.equal(code, 1);
    assert.match(stderr, /^terrain: farm\/lab: 0 of 1 images can be cloned; [^\n]*\n$/);
  }));
