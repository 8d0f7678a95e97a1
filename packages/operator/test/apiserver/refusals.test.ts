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
const webhooks = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
const retry = 'pelotech.ot/retry';
const paused = 'pelotech.ot/paused';
/** Nothing is tried again by itself while a test looks. */
const policy = { retryBackoffDuration: '1h' };

const downloadsOf = (stage: Stage, { spec }: VMDiskImage): number => stage.simulator.egress.of(spec.url ?? '').downloads;
const untilSlotIsFree = (stage: Stage): Promise<true> =>
  stage.until('a free slot', () => stage.ledger().entries.size === 0 || undefined);
const aVolume = (stage: Stage, name: string, source: object = { blank: {} }): Thing => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name, namespace: stage.namespace },
  spec: { source, storage: { resources: { requests: { storage: '1Gi' } } } },
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

test('a DataVolume of somebody else under the name of an attempt is left alone, and the image gives up, and its slot back', async () => {
  await using stage = await Stage.open({ policy });
  await stage.startOperator();
  await observing(stage, async () => {
    const { metadata } = await stage.createImage('debian', { metadata: { annotations: { [paused]: 'true' } } });
    const name = dataVolumeName({ name: 'debian', uid: metadata.uid ?? '', attempt: 1 });
    const at = { name, namespace: stage.namespace };
    const source = { http: { url: 'https://images.example.com/foreign.qcow2?sim=import:600s' } };
    const foreign = await stage.resource(types.dataVolumes).create(aVolume(stage, name, source));
    // The stage waits for all volumes to be gone, whether or not the test gets that far.
    await using _ = {
      [Symbol.asyncDispose]: async () => void (await stage.resource(types.dataVolumes).delete(at).catch(ignoreAbsent)),
    };
    await stage.until('its importer', () => stage.things(types.pods)[0]);
    await stage.annotate('debian', { [paused]: null });
    const image = await stage.reason('debian', 'RefusedByPlatform');
    assert.equal(image.status?.phase, 'Failed');
    assert.equal(
      image.status?.message,
      `given up: DataVolume ${stage.namespace}/${name} exists already and belongs to no controller; it is left alone, and the next attempt takes another name; change the source, or set the annotation pelotech.ot/retry to a new value to try again`,
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

test('a webhook of the platform that does not answer is waited for without a slot, and no attempt is counted', async () => {
  await using stage = await Stage.open({ policy });
  const at = { name: `${stage.namespace}-silent` };
  await stage.resource(webhooks).create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: at,
    webhooks: [silentWebhook(stage.namespace)],
  } as Thing);
  // It stands in the way of the stage, whether or not the test gets that far.
  await using _ = {
    [Symbol.asyncDispose]: async () => void (await stage.resource(webhooks).delete(at).catch(ignoreAbsent)),
  };
  await untilProbed(stage, 'a webhook asked', (refusal) => refusal?.code === 500);
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('debian');
    const image = await stage.reason('debian', 'RefusedByPlatform');
    const { phase, message = '', retry: counted } = image.status ?? {};
    assert.match(
      message,
      /^failed calling webhook "silent\.example\.com": failed to call webhook: Post "[^"]+": .*connection refused; nothing was created: see that what serves this webhook runs; tried again at \S+$/,
    );
    assert.deepEqual([phase, counted?.failures, counted?.gaveUp], ['Queued', undefined, undefined]);
    await untilSlotIsFree(stage);
    assert.deepEqual([stage.things(types.dataVolumes).length, downloadsOf(stage, image)], [0, 0]);
    await stage.resource(webhooks).delete(at);
    await untilProbed(stage, 'a webhook forgotten', (refusal) => refusal === undefined);
    await stage.annotate('debian', { [retry]: 'now' });
    assert.equal((await stage.phase('debian', 'Succeeded')).status?.attempt?.number, 2);
    assert.equal(downloadsOf(stage, image), 1);
  });
});

const silentWebhook = (namespace: string) => ({
  name: 'silent.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [{ apiGroups: ['cdi.kubevirt.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['datavolumes'] }],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  failurePolicy: 'Fail',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

/** A quota counts for nothing until a controller has looked at it and the API server has heard of that. */
const untilCounted = (stage: Stage): Promise<void> =>
  untilProbed(stage, 'a quota in force', (refusal) => refusal?.code === 403 && !refusal.message.includes('status unknown'));

/** Nothing tells when the API server has heard of what it is to judge by, so ask. */
async function untilProbed(stage: Stage, what: string, isMet: (refusal: ApiError | undefined) => boolean): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    const refusal = await stage
      .resource(types.dataVolumes)
      .create(aVolume(stage, 'probe'), { dryRun: true })
      .then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof ApiError) return error;
          throw error;
        },
      );
    if (isMet(refusal)) return;
    await setTimeout(100);
  }
  throw new Error(`${stage.namespace} has not seen ${what} after two minutes`);
}
