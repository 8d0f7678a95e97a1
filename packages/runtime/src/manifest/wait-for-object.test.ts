import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFake } from '#testing/index.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource } from '#transport/resource.ts';
import { until } from '../../test/until.ts';
import { waitForObject } from './wait-for-object.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const at = { namespace: 'default', name: 'a' };
const labelled = (object: KubeObject | undefined): string | undefined =>
  object === undefined ? 'it does not exist' : object.metadata.labels?.ready === 'yes' ? undefined : 'it has no label ready=yes';

test('waits through everything that is not yet as wanted, also when the watch ends in between', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  const reasons: string[] = [];
  const waiting = waitForObject(connection, configMaps, at, labelled, {
    timeoutMs: 20_000,
    onWaiting: (reason) => reasons.push(reason),
  });
  await until('watch', () => fake.openWatches(configMaps) === 1);
  fake.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: at });
  await until('second reason', () => reasons.length === 2);
  fake.closeWatches();
  await until('second watch', () => fake.log.count({ verb: 'watch' }) === 2);
  await new Resource<KubeObject>(connection, configMaps).mergePatch(at, { metadata: { labels: { ready: 'yes' } } });
  assert.equal((await waiting)?.metadata.name, 'a');
  assert.deepEqual(reasons, ['it does not exist', 'it has no label ready=yes']);
});

test('when the time is up the error says what was missing', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  await assert.rejects(waitForObject(connection, configMaps, at, labelled, { timeoutMs: 2000 }), {
    message: 'configmaps default/a is not as wanted after 2 s: it does not exist',
  });
});

test('a refusal is told at once', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  const bad = { ...at, name: 'a,spec.nonsense=b' };
  await assert.rejects(waitForObject(connection, configMaps, bad, labelled, { timeoutMs: 20_000 }), {
    name: 'ApiError',
    code: 400,
  });
});
