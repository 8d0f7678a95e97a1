import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '#log/logger.ts';
import { FakeClock } from '#testing/index.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Recorder } from './recorder.ts';

interface Body {
  readonly metadata?: { readonly name: string };
  readonly series?: { readonly count: number };
  readonly note?: string;
  readonly reason?: string;
}

const object = (name = 'a'): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7' },
});
const started = { type: 'Normal', reason: 'Started', note: 'it began' } as const;

function rig(t: TestContext, answer: (request: ApiRequest) => unknown = () => ({})) {
  const clock = new FakeClock();
  const sent: { method: string; path: string; body: Body }[] = [];
  let dropped = 0;
  const api = {
    request: async (request: ApiRequest) => {
      sent.push({ method: request.method, path: request.path, body: request.body as Body });
      return answer(request);
    },
  } as unknown as ApiTransport;
  const recorder = new Recorder({
    api,
    clock,
    log: silentLogger,
    reporter: { controller: 'op', instance: 'op-1' },
    onDropped: () => dropped++,
  });
  t.after(async () => {
    await recorder.close();
    assert.equal(clock.pendingTimers, 0);
  });
  return { clock, sent, recorder, dropped: () => dropped };
}

test('an event has all the API asks for', async (t) => {
  const { sent, recorder, clock } = rig(t);
  recorder.record(object(), started);
  await clock.advance(0);
  const [first] = sent;
  assert.equal(first?.path, '/apis/events.k8s.io/v1/namespaces/ns/events');
  const { metadata, ...rest } = first?.body ?? {};
  assert.match(metadata?.name ?? '', /^a\.[0-9a-f]+$/);
  assert.deepEqual(rest, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    eventTime: '2030-01-01T00:00:00.000000Z',
    reportingController: 'op',
    reportingInstance: 'op-1',
    action: 'Started',
    reason: 'Started',
    regarding: { apiVersion: 'example.com/v1', kind: 'Thing', name: 'a', namespace: 'ns', uid: 'uid-a', resourceVersion: '7' },
    note: 'it began',
    type: 'Normal',
  });
});

test('an event about a cluster-scoped object lives in the default namespace', async (t) => {
  const { sent, recorder, clock } = rig(t);
  recorder.record({ apiVersion: 'example.com/v1', kind: 'Node', metadata: { name: 'n', uid: 'u' } }, started);
  await clock.advance(0);
  assert.equal(sent[0]?.path, '/apis/events.k8s.io/v1/namespaces/default/events');
});

test('the same happening is one event with a count, written at most once a minute', async (t) => {
  const { sent, recorder, clock } = rig(t);
  for (let i = 0; i < 50; i++) recorder.record(object(), started);
  await clock.advance(59_000);
  assert.equal(sent.length, 1);
  await clock.advance(1000);
  assert.deepEqual(sent[1], {
    method: 'PATCH',
    path: `/apis/events.k8s.io/v1/namespaces/ns/events/${sent[0]?.body.metadata?.name}`,
    body: { series: { count: 50, lastObservedTime: '2030-01-01T00:01:00.000000Z' } },
  });
  await clock.advance(120_000);
  assert.equal(sent.length, 2, 'nothing new, nothing written');
});

test('after ten minutes the same happening is a new event', async (t) => {
  const { sent, recorder, clock } = rig(t);
  recorder.record(object(), started);
  await clock.advance(600_000);
  recorder.record(object(), started);
  await clock.advance(0);
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['POST', 'POST'],
  );
});

test('another reason, note or object is another event', async (t) => {
  const { sent, recorder, clock } = rig(t);
  recorder.record(object(), started);
  recorder.record(object(), { ...started, note: 'otherwise' });
  recorder.record(object(), { ...started, type: 'Warning' });
  recorder.record(object('b'), started);
  await clock.advance(0);
  assert.equal(sent.length, 4);
});

test('an object that talks too much is cut off, the others are not', async (t) => {
  const { sent, recorder, clock, dropped } = rig(t);
  for (let i = 0; i < 30; i++) recorder.record(object(), { ...started, note: `note ${i}` });
  recorder.record(object('b'), started);
  await clock.advance(0);
  assert.equal(sent.length, 26);
  assert.equal(dropped(), 5);
  await clock.advance(300_000);
  recorder.record(object(), { ...started, note: 'again' });
  await clock.advance(0);
  assert.equal(sent.length, 27);
});

test('what waits is sent when the recorder is closed, and nothing afterwards', async (t) => {
  const { sent, recorder } = rig(t);
  recorder.record(object(), started);
  recorder.record(object(), started);
  await recorder.close();
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['POST', 'PATCH'],
  );
  recorder.record(object('late'), started);
  await recorder.close();
  assert.equal(sent.length, 2);
});

test('what waits when the time for closing is up is dropped, and the end is not held up', async (t) => {
  const answers = Promise.withResolvers<unknown>();
  const { sent, recorder, clock } = rig(t, () => answers.promise);
  for (let at = 0; at < 10; at++) recorder.record(object(`o${at}`), started);
  let isClosed = false;
  const closed = recorder.close(3000).then(() => {
    isClosed = true;
  });
  await clock.advance(2999);
  const inTime = isClosed;
  await clock.advance(1);
  const afterwards = isClosed;
  answers.resolve({});
  await closed;
  await recorder.close();
  assert.deepEqual([inTime, afterwards], [false, true]);
  assert.equal(sent.length, 8, 'nothing more is sent');
});

test('a count that waits is written when others push its event out of memory', async (t) => {
  const { sent, recorder, clock, dropped } = rig(t);
  recorder.record(object(), started);
  recorder.record(object(), started);
  for (let n = 0; n < 4096; n++) {
    recorder.record(object(`other-${n}`), started);
    if (n % 500 === 0) await clock.advance(0);
  }
  await clock.advance(0);
  assert.deepEqual(
    sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body.series?.count),
    [2],
  );
  assert.equal(clock.pendingTimers, 0, 'it keeps the process alive');
  assert.equal(dropped(), 0);
});

test('eight are on their way at a time, and no count overtakes its event', async (t) => {
  const answers: (() => void)[] = [];
  let isOver = false;
  // Otherwise a wrong number of requests would not fail the test but keep it waiting for their answers.
  t.after(() => {
    isOver = true;
    for (const answer of answers) answer();
  });
  const { sent, recorder, clock } = rig(t, () =>
    isOver ? Promise.resolve() : new Promise<void>((resolve) => answers.push(resolve)),
  );
  const letters = [...'abcdefghij'];
  for (const name of [...letters, ...letters]) recorder.record(object(name), started);
  await clock.advance(60_000);
  const inWords = (): string[] =>
    sent.map(({ method, path, body }) => `${method} ${(body.metadata?.name ?? path.split('/').at(-1) ?? '').split('.')[0]}`);
  assert.deepEqual(
    inWords(),
    letters.slice(0, 8).map((name) => `POST ${name}`),
  );
  while (answers.length > 0) {
    answers.shift()?.();
    await clock.advance(0);
  }
  assert.deepEqual(inWords().toSorted(), [...letters.map((name) => `PATCH ${name}`), ...letters.map((name) => `POST ${name}`)]);
  for (const name of letters) assert.ok(inWords().indexOf(`POST ${name}`) < inWords().indexOf(`PATCH ${name}`), name);
});

test('a refusal is no problem, and an event that is gone is told anew with its count', async (t) => {
  const { sent, recorder, clock } = rig(t, ({ method }) => {
    if (method === 'PATCH') throw new ApiError(404, undefined, 'PATCH');
    if (sent.length === 1) throw new ApiError(403, undefined, 'POST');
    return {};
  });
  recorder.record(object(), started);
  recorder.record(object(), started);
  await clock.advance(60_000);
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['POST', 'PATCH', 'POST'],
  );
  assert.equal(sent[2]?.body.series?.count, 2);
});

test('a long note is cut at a character, to what the API takes', async (t) => {
  const { sent, recorder, clock } = rig(t);
  // Cut at every place a character of two halves can be cut at.
  for (const start of ['', 'x', 'xx', 'xxx'])
    recorder.record(object(), { ...started, note: `${start}${'😀'.repeat(1000)}`, reason: 'R'.repeat(200) });
  await clock.advance(0);
  for (const { body } of sent) {
    const note = body.note ?? '';
    assert.ok(Buffer.byteLength(note) <= 1024 && Buffer.byteLength(note) > 1015, `${Buffer.byteLength(note)} bytes`);
    assert.ok(note.isWellFormed() && note.endsWith('😀…'), note.slice(-5));
  }
  assert.ok(Buffer.byteLength(sent[0]?.body.reason ?? '') <= 128);
});
