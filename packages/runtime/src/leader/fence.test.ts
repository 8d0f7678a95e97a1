import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFake, FaultProxy } from '#testing/index.ts';
import { Connection } from '#transport/connection.ts';
import { until } from '../../test/until.ts';
import { fenceWrites } from './fence.ts';

test('a write that waits for its turn is not sent when leadership is lost meanwhile', async () => {
  await using fake = await ApiFake.start();
  const throttled = {
    on: 'request',
    match: { verb: 'create' },
    nth: 1,
    do: { fault: 'answer', code: 429, retryAfterSeconds: 0.2 },
  } as const;
  await using proxy = await FaultProxy.start({ upstream: fake.credentials, plan: { rules: [throttled] } });
  await using connection = new Connection(proxy.credentials);
  let isLeading = true;
  const api = fenceWrites(connection, () => isLeading);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } };
  const write = api.request({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', body });
  write.catch(() => undefined);
  await until('refusal', () => proxy.log.requests.some(({ code }) => code === 429));
  isLeading = false;
  await assert.rejects(write, { name: 'LeadershipLostError' });
  assert.equal(proxy.log.count({ verb: 'create' }), 1);
  assert.ok(await api.request({ method: 'GET', path: '/api/v1/namespaces/default/configmaps' }), 'reading is nobody’s privilege');
});

test('a write that waits for a free socket is not sent when leadership is lost meanwhile', async () => {
  await using fake = await ApiFake.start();
  const slow = { on: 'request', match: { verb: 'list' }, nth: 1, do: { fault: 'hold', gate: 'answer' } } as const;
  await using proxy = await FaultProxy.start({ upstream: fake.credentials, plan: { rules: [slow] } });
  await using connection = new Connection(proxy.credentials, { maxSockets: 1 });
  let isLeading = true;
  let asked = 0;
  const api = fenceWrites(connection, () => {
    asked++;
    return isLeading;
  });
  const path = '/api/v1/namespaces/default/configmaps';
  const read = api.request({ method: 'GET', path });
  await until('list under way', () => proxy.log.count({ verb: 'list' }) === 1);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } };
  const write = api.request({ method: 'POST', path, body });
  write.catch(() => undefined);
  await until('write handed over', () => asked > 1);
  isLeading = false;
  proxy.open('answer');
  await read;
  await assert.rejects(write, { name: 'LeadershipLostError', message: /POST .*configmaps was not sent/ });
  await api.request({ method: 'GET', path });
  assert.equal(proxy.log.count({ verb: 'create' }), 0);
});
