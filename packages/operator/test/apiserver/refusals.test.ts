/** Downloads that the API server does not let begin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { dataVolumeName, type VMDiskImage } from '@terrain/api';
import { ApiError } from '@terrain/runtime';
import { ignoreAbsent } from './platform.ts';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { observing } from './watched.ts';

const quotas = { group: '', version: 'v1', plural: 'resourcequotas', namespaced: true };
const retry = 'pelotech.ot/retry';
const paused = 'pelotech.ot/paused';
/** Nothing is tried again by itself while a test looks. */
const policy = { retryBackoffDuration: '1h' };

const downloadsOf = (stage: Stage, { spec }: VMDiskImage): number => stage.simulator.egress.of(spec.url ?? '').downloads;
const untilSlotIsFree = (stage: Stage): Promise<true> =>
  stage.until('a free slot', () => stage.ledger().entries.size === 0 || undefined);
const aVolume = (stage: Stage, name: string): Thing => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name, namespace: stage.namespace },
  spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
});

test('a quota that leaves room for no DataVolume is waited for without a slot, and nothing is downloaded', async () => {
  await using stage = await Stage.open({ policy });
  const at = { name: 'none', namespace: stage.namespace };
  const spec = { hard: { 'count/datavolumes.cdi.kubevirt.io': '0' } };
  await stage.resource(quotas).create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: at, spec });
  await untilCounted(stage);
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('debian');
    const image = await stage.reason('debian', 'QuotaExceeded');
    const { message = '', retry: counted, attempt } = image.status ?? {};
    const name = dataVolumeName({ name: 'debian', uid: image.metadata.uid ?? '', attempt: 1 });
    const count = 'count/datavolumes.cdi.kubevirt.io';
    assert.equal(
      message,
      `datavolumes.cdi.kubevirt.io "${name}" is forbidden: exceeded quota: none, requested: ${count}=1, used: ${count}=0, limited: ${count}=0; tried again at ${counted?.nextRetryAt}`,
    );
    assert.deepEqual([counted?.failures, counted?.gaveUp, attempt?.number], [undefined, undefined, 1]);
    await untilSlotIsFree(stage);
    assert.equal(stage.things(types.dataVolumes).length, 0);
    assert.equal(downloadsOf(stage, image), 0);
    await stage.resource(quotas).delete(at);
    await stage.annotate('debian', { [retry]: 'now' });
    assert.equal((await stage.phase('debian', 'Succeeded')).status?.attempt?.number, 2);
    assert.equal(downloadsOf(stage, image), 1);
  });
});

test('a DataVolume of somebody else under the name of an attempt is left alone, and the image gives up', async () => {
  await using stage = await Stage.open({ policy });
  await stage.startOperator();
  await observing(stage, async () => {
    const { metadata } = await stage.createImage('debian', { metadata: { annotations: { [paused]: 'true' } } });
    const name = dataVolumeName({ name: 'debian', uid: metadata.uid ?? '', attempt: 1 });
    const at = { name, namespace: stage.namespace };
    const foreign = await stage.resource(types.dataVolumes).create(aVolume(stage, name));
    // The stage waits for all volumes to be gone, whether or not the test gets that far.
    await using _ = {
      [Symbol.asyncDispose]: async () => void (await stage.resource(types.dataVolumes).delete(at).catch(ignoreAbsent)),
    };
    await stage.annotate('debian', { [paused]: null });
    const image = await stage.reason('debian', 'RefusedByPlatform');
    assert.equal(image.status?.phase, 'Failed');
    assert.equal(
      image.status?.message,
      `given up: DataVolume ${stage.namespace}/${name} exists already and belongs to no controller; delete or rename it, then this one is created; change the source, or set the annotation pelotech.ot/retry to a new value to try again`,
    );
    await untilSlotIsFree(stage);
    const left = await stage.resource(types.dataVolumes).get(at);
    assert.deepEqual([left.metadata.uid, left.metadata.deletionTimestamp], [foreign.metadata.uid, undefined]);
    assert.equal(downloadsOf(stage, image), 0);
    await stage.resource(types.dataVolumes).delete(at);
    await stage.annotate('debian', { [retry]: 'now' });
    assert.equal((await stage.phase('debian', 'Succeeded')).status?.attempt?.number, 2);
    assert.equal(downloadsOf(stage, image), 1);
  });
});

/** A quota counts for nothing until a controller has looked at it and the API server has heard of that: nothing tells when, so ask. */
async function untilCounted(stage: Stage): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    const refusal = await stage
      .resource(types.dataVolumes)
      .create(aVolume(stage, 'probe'), { dryRun: true })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (refusal instanceof ApiError && refusal.code === 403 && !refusal.message.includes('status unknown')) return;
    if (refusal !== undefined && !(refusal instanceof ApiError && refusal.code === 403)) throw refusal;
    await setTimeout(100);
  }
  throw new Error(`the quota in ${stage.namespace} is still not in force after two minutes`);
}
