import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { ApiError } from '#transport/api-error.ts';
import type { FaultPlan, RequestFault } from './plan.ts';
import { configMap, configMapType, ProxyRig } from './test-rig.ts';

const onWrite = (fault: RequestFault, nth = 1): FaultPlan => ({
  rules: [{ on: 'request', match: { verb: 'write' }, nth, do: fault }],
});
const noAnswer = (error: unknown): boolean => error instanceof Error && !(error instanceof ApiError);

test('without a plan everything passes, and everything is counted', async () => {
  await using rig = await ProxyRig.start();
  await rig.maps.create(configMap('a', { key: 'value' }));
  const found = await rig.maps.get({ name: 'a', namespace: 'default' });
  await rig.maps.list({ namespace: 'default' });
  await rig.maps.delete({ name: 'a', namespace: 'default' });
  assert.deepEqual(found.data, { key: 'value' });
  assert.deepEqual(rig.names, []);
  assert.deepEqual(rig.proxy.log.tally(), {
    'create configmaps': 1,
    'get configmaps': 1,
    'list configmaps': 1,
    'delete configmaps': 1,
  });
  assert.deepEqual(
    rig.proxy.log.requests.map(({ number, write, verb, code, fault }) => [number, write, verb, code, fault]),
    [
      [1, 1, 'create', 201, undefined],
      [2, undefined, 'get', 200, undefined],
      [3, undefined, 'list', 200, undefined],
      [4, 2, 'delete', 200, undefined],
    ],
  );
  assert.equal(rig.proxy.log.requests[0]?.resourceVersion, found.metadata.resourceVersion);
});

test('answers of the server pass unchanged, refusals too', async () => {
  await using rig = await ProxyRig.start();
  await assert.rejects(rig.maps.get({ name: 'absent', namespace: 'default' }), { code: 404, reason: 'NotFound' });
  assert.equal(await rig.connection.request<string>({ method: 'GET', path: '/readyz' }), 'ok');
});

test('a refused request never reaches the server', async () => {
  await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'refuse' }, 2) });
  await rig.maps.create(configMap('a'));
  await assert.rejects(rig.maps.create(configMap('b')), noAnswer);
  await rig.maps.create(configMap('c'));
  assert.deepEqual(rig.names, ['a', 'c']);
  assert.deepEqual(
    rig.proxy.log.requests.map(({ code }) => code),
    [201, 0, 201],
  );
});

test('a lost reply is that of a write which was carried out', async () => {
  await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'lose-reply' }) });
  await assert.rejects(rig.maps.create(configMap('a')), noAnswer);
  assert.deepEqual(rig.names, ['a']);
});

for (const [when, want] of [
  ['before', { atKill: [], answered: false }],
  ['applied', { atKill: ['a'], answered: false }],
  ['answered', { atKill: ['a'], answered: true }],
] as const) {
  test(`the client is killed ${when === 'before' ? 'before the write' : `when the write is ${when}`}`, async () => {
    const atKill: unknown[] = [];
    const killed = Promise.withResolvers<void>();
    let rig: ProxyRig | undefined;
    const kill = (): void => {
      atKill.push(...(rig?.names ?? ['too early']));
      killed.resolve();
    };
    rig = await ProxyRig.start({ plan: onWrite({ fault: 'kill-client', when }), kill });
    await using _ = rig;
    const answered = await rig.maps.create(configMap('a')).then(
      () => true,
      () => false,
    );
    await killed.promise;
    assert.deepEqual({ atKill, answered }, want);
    assert.deepEqual(rig.names, want.atKill);
  });
}

test('a plan that kills needs a way to kill', async () => {
  await using rig = await ProxyRig.start();
  assert.throws(() => rig.proxy.follow(onWrite({ fault: 'kill-client', when: 'before' })), /was given no `kill`/);
});

test('429 with Retry-After is answered without asking the server', async () => {
  await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'answer', code: 429, retryAfterSeconds: 0 }) });
  await rig.maps.create(configMap('a'));
  assert.deepEqual(
    rig.proxy.log.requests.map(({ code, fault }) => [code, fault]),
    [
      [429, 'answer'],
      [201, undefined],
    ],
  );
});

test('500, 503 and 410 are answered as the server would word them', async () => {
  for (const [code, reason] of [
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [410, 'Expired'],
  ] as const) {
    await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'answer', code, retryAfterSeconds: 7 }) });
    await assert.rejects(rig.maps.create(configMap('a')), { code, reason, retryAfterMs: 7000 });
    assert.deepEqual(rig.names, []);
  }
});

test('a request that hangs ends by its own deadline only', async () => {
  await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'hang' }) });
  const request = { method: 'POST', path: '/api/v1/namespaces/default/configmaps', body: configMap('a'), timeoutMs: 50 } as const;
  await assert.rejects(rig.connection.request(request), noAnswer);
  assert.deepEqual(rig.names, []);
});

test('a held request is carried out when the gate opens, a held reply before', async () => {
  for (const [of, want] of [
    ['request', []],
    ['reply', ['a']],
  ] as const) {
    await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'hold', gate: 'later', of }) });
    const created = rig.maps.create(configMap('a'));
    // The reply of a list sent later shows that the write had time to arrive.
    while (rig.proxy.log.count({ verb: 'create' }) === 0 || (of === 'reply' && rig.names.length === 0)) await rig.maps.list();
    assert.deepEqual(rig.names, want);
    rig.proxy.open('later');
    await created;
    assert.deepEqual(rig.names, ['a']);
  }
});

test('a slow body arrives whole, in pieces', async () => {
  await using rig = await ProxyRig.start();
  await rig.maps.create(configMap('a', { text: 'x'.repeat(500) }));
  rig.proxy.follow({
    rules: [{ on: 'request', match: { verb: 'get' }, do: { fault: 'slow-body', chunkBytes: 100, everyMs: 1 } }],
  });
  const [response] = (await once(get(`${rig.proxy.credentials.server}/api/v1/namespaces/default/configmaps/a`), 'response')) as [
    AsyncIterable<Buffer>,
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  assert.ok(chunks.length > 3, `${chunks.length} pieces`);
  assert.equal(JSON.parse(Buffer.concat(chunks).toString()).data.text.length, 500);
});

test('a connection closed after an answer carries no second request', async () => {
  await using rig = await ProxyRig.start({ plan: onWrite({ fault: 'close-after' }) });
  await rig.maps.create(configMap('a'));
  await rig.maps.create(configMap('b'));
  assert.deepEqual(rig.names, ['a', 'b']);
  const request = get(`${rig.proxy.credentials.server}/api/v1/namespaces/default/configmaps/a`);
  rig.proxy.follow({ rules: [{ on: 'request', do: { fault: 'close-after' } }] });
  const [response] = await once(request, 'response');
  response.resume();
  await once(request.socket!, 'close');
});

test('a share of all requests fails, by the seed', async () => {
  const run = async (): Promise<(number | undefined)[]> => {
    await using rig = await ProxyRig.start({
      plan: { seed: 42, rules: [{ on: 'request', share: 0.3, do: { fault: 'answer', code: 500 } }] },
    });
    for (let index = 0; index < 20; index++) await rig.maps.list({ namespace: 'default' }).catch(() => undefined);
    return rig.proxy.log.requests.map(({ code }) => code);
  };
  const codes = await run();
  assert.deepEqual(await run(), codes);
  assert.ok(codes.includes(500) && codes.includes(200));
});

test('time travel: reads show an earlier moment, writes reach the present', async () => {
  await using rig = await ProxyRig.start();
  await rig.maps.create(configMap('old', { state: 'before' }));
  await rig.maps.create(configMap('doomed'));
  const { metadata } = await rig.maps.list({ namespace: 'default' });
  const resourceVersion = metadata.resourceVersion!;
  await rig.maps.replace(configMap('old', { state: 'after' }));
  await rig.maps.delete({ name: 'doomed', namespace: 'default' });
  await rig.maps.create(configMap('new'));

  rig.proxy.follow({
    rules: [{ on: 'request', match: { verb: 'read' }, do: { fault: 'time-travel', resourceVersion, gate: 'present' } }],
  });
  const list = await rig.maps.list({ namespace: 'default' });
  assert.deepEqual(
    [list.metadata.resourceVersion, list.items.map((item) => [item.metadata.name, item.data])],
    [
      resourceVersion,
      [
        ['doomed', {}],
        ['old', { state: 'before' }],
      ],
    ],
  );
  const old = await rig.maps.get({ name: 'old', namespace: 'default' });
  assert.deepEqual([old.kind, old.apiVersion, old.data], ['ConfigMap', 'v1', { state: 'before' }]);
  await assert.rejects(rig.maps.get({ name: 'new', namespace: 'default' }), { code: 404, reason: 'NotFound' });
  await assert.rejects(rig.maps.create(configMap('new')), { reason: 'AlreadyExists' });
});

test('closing ends what is held, hung and watched', async () => {
  const rig = await ProxyRig.start({ plan: onWrite({ fault: 'hold', gate: 'never' }) });
  const held = rig.maps.create(configMap('a')).catch(() => 'failed');
  const watched = rig
    .watch()
    .next()
    .catch(() => 'failed');
  while (rig.proxy.openWatches({ resource: 'configmaps' }) === 0) await rig.maps.list();
  assert.equal(rig.fake.openWatches(configMapType), 1);
  await rig.proxy.close();
  assert.deepEqual([await held, await watched], ['failed', 'failed']);
  await rig.connection.close();
  await rig.fake.close();
});
