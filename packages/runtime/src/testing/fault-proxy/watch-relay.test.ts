import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../fake-clock.ts';
import type { EventFault, EventMatch, FaultPlan, WatchFault } from './plan.ts';
import { configMap, ProxyRig, type SeenEvent, take } from './test-rig.ts';

const onWatch = (fault: WatchFault): FaultPlan => ({ rules: [{ on: 'request', match: { verb: 'watch' }, do: fault }] });
const onEvent = (match: EventMatch, fault: EventFault, nth?: number): FaultPlan => ({
  rules: [{ on: 'event', match, do: fault, ...(nth === undefined ? {} : { nth }) }],
});

/** Objects a, b, c written one after the other while a watch from the beginning is open. */
async function abc(rig: ProxyRig): Promise<AsyncGenerator<SeenEvent>> {
  const resourceVersion = String(rig.fake.revision);
  for (const name of ['a', 'b', 'c']) rig.fake.seed({ ...configMap(name) });
  return rig.watch({ resourceVersion });
}

const streams: Record<string, { plan: FaultPlan; want: string[] }> = {
  'without a rule every event passes': { plan: { rules: [] }, want: ['ADDED a', 'ADDED b', 'ADDED c'] },
  'a dropped event is missing, and nothing else': {
    plan: onEvent({ name: 'b' }, { fault: 'drop' }),
    want: ['ADDED a', 'ADDED c'],
  },
  'the second of all events is dropped': { plan: onEvent({}, { fault: 'drop' }, 2), want: ['ADDED a', 'ADDED c'] },
  'a duplicate comes at once': {
    plan: onEvent({ name: 'a' }, { fault: 'duplicate' }),
    want: ['ADDED a', 'ADDED a', 'ADDED b', 'ADDED c'],
  },
  'a duplicate comes late': {
    plan: onEvent({ name: 'a' }, { fault: 'duplicate', afterEvents: 2 }),
    want: ['ADDED a', 'ADDED b', 'ADDED c', 'ADDED a'],
  },
  'a delayed event holds up those behind it': {
    plan: onEvent({ name: 'a' }, { fault: 'delay', ms: 1 }),
    want: ['ADDED a', 'ADDED b', 'ADDED c'],
  },
  'a stream is closed after some events': {
    plan: onWatch({ fault: 'close-watch', afterEvents: 2 }),
    want: ['ADDED a', 'ADDED b', 'end'],
  },
  'a stream is closed before any event': { plan: onWatch({ fault: 'close-watch' }), want: ['end'] },
  'a fault of whole answers lets a stream pass': {
    plan: { rules: [{ on: 'request', do: { fault: 'lose-reply' } }] },
    want: ['ADDED a', 'ADDED b', 'ADDED c'],
  },
  'a stream expires by an event': {
    plan: onWatch({ fault: 'expire', as: 'event', afterEvents: 1 }),
    want: ['ADDED a', 'ERROR 410', 'end'],
  },
};
for (const [name, { plan, want }] of Object.entries(streams)) {
  test(`watch: ${name}`, async () => {
    await using rig = await ProxyRig.start({ plan });
    assert.deepEqual(await take(await abc(rig), want.length), want);
  });
}

test('watch: a reset breaks the stream', async () => {
  await using rig = await ProxyRig.start({ plan: onWatch({ fault: 'close-watch', how: 'reset', afterEvents: 1 }) });
  await assert.rejects(take(await abc(rig), 3));
});

test('watch: the version is expired by the status code', async () => {
  await using rig = await ProxyRig.start({ plan: onWatch({ fault: 'expire', as: 'status' }) });
  await assert.rejects(take(await abc(rig), 1), { code: 410, reason: 'Expired' });
});

test('watch: a black hole passes some events, then nothing, and stays open', async () => {
  await using rig = await ProxyRig.start({ plan: onWatch({ fault: 'blackhole', afterEvents: 1 }) });
  const events = await abc(rig);
  assert.deepEqual(await take(events, 1), ['ADDED a']);
  const silent = take(events, 1).then(
    () => 'spoke',
    () => 'closed',
  );
  // Everything behind the proxy goes on, on the same server, for as long as it takes to notice an event that slips through.
  for (let round = 0; round < 20; round++) await rig.maps.list();
  assert.equal(await Promise.race([silent, Promise.resolve('nothing')]), 'nothing');
  assert.equal(rig.proxy.openWatches(), 1);
  await rig.connection.close();
  assert.equal(await silent, 'closed');
});

test('watch: a held event and all behind it pass when the gate opens', async () => {
  await using rig = await ProxyRig.start({ plan: onEvent({ name: 'b' }, { fault: 'hold', gate: 'later' }) });
  const events = await abc(rig);
  assert.deepEqual(await take(events, 1), ['ADDED a']);
  const rest = take(events, 2);
  for (let round = 0; round < 10; round++) await rig.maps.list();
  assert.equal(await Promise.race([rest, Promise.resolve('nothing')]), 'nothing');
  rig.proxy.open('later');
  assert.deepEqual(await rest, ['ADDED b', 'ADDED c']);
});

test('watch: a lag delays each event by the same time, not one after the other', async () => {
  const clock = new FakeClock();
  await using rig = await ProxyRig.start({ plan: onWatch({ fault: 'lag', ms: 30_000 }), clock });
  const events = await abc(rig);
  const all = take(events, 3);
  while (clock.pendingTimers === 0) await rig.maps.list();
  await clock.advance(29_999);
  assert.equal(await Promise.race([all, Promise.resolve('nothing')]), 'nothing');
  await clock.advance(1);
  assert.deepEqual(await all, ['ADDED a', 'ADDED b', 'ADDED c']);
});

test('watch: a new plan applies to streams already open', async () => {
  await using rig = await ProxyRig.start();
  const events = await abc(rig);
  await take(events, 3);
  rig.proxy.follow(onEvent({ type: 'DELETED' }, { fault: 'drop' }));
  await rig.maps.delete({ name: 'a', namespace: 'default' });
  await rig.maps.create(configMap('d'));
  assert.deepEqual(await take(events, 1), ['ADDED d']);
});

test('watch: events are logged under the numbering of the requests, with what was done to them', async () => {
  await using rig = await ProxyRig.start({ plan: onEvent({ name: 'b' }, { fault: 'drop' }) });
  await take(await abc(rig), 2);
  assert.deepEqual(
    rig.proxy.log.entries.map((entry) => [
      entry.number,
      entry.sort,
      entry.sort === 'event' ? `${entry.type} ${entry.name}` : entry.verb,
      entry.fault,
    ]),
    [
      [1, 'request', 'watch', undefined],
      [2, 'event', 'ADDED a', undefined],
      [3, 'event', 'ADDED b', 'drop'],
      [4, 'event', 'ADDED c', undefined],
    ],
  );
});

test('watch: in the past a streamed list shows the past and stays there until the gate opens', async () => {
  await using rig = await ProxyRig.start();
  rig.fake.seed({ ...configMap('old') });
  const resourceVersion = String(rig.fake.revision);
  rig.fake.seed({ ...configMap('new') });
  rig.proxy.follow({ rules: [{ on: 'request', do: { fault: 'time-travel', resourceVersion, gate: 'present' } }] });
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
  const events = rig.watch(query);
  assert.deepEqual(await take(events, 1), ['ADDED old']);
  const bookmark = (await events.next()).value as SeenEvent;
  assert.deepEqual(
    [bookmark.type, bookmark.object.kind, bookmark.object.metadata],
    ['BOOKMARK', 'ConfigMap', { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }],
  );
  const caughtUp = take(events, 1);
  for (let round = 0; round < 10; round++) await rig.maps.list();
  assert.equal(await Promise.race([caughtUp, Promise.resolve('nothing')]), 'nothing');
  rig.proxy.open('present');
  assert.deepEqual(await caughtUp, ['ADDED new']);
});
