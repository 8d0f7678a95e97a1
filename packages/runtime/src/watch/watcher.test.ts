import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { NoAnswerError } from '#transport/no-answer-error.ts';
import type { WatcherOptions } from './options.ts';
import { Watcher } from './watcher.ts';

/** What the scripted server does with a watch: lines, a pause on the clock, an end or an error. */
type WatchStep = { lines: string[] } | { waitMs: number } | { fail: unknown };
type Answer = { list: unknown } | { fail: unknown } | { watch: WatchStep[] } | { newest: string };

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, resourceVersion, uid: `uid-${name}` },
});
const list = (resourceVersion: string, items: KubeObject[] = [], next?: string): Answer => ({
  list: { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion, continue: next }, items },
});
const line = (type: string, body: unknown): string => JSON.stringify({ type, object: body });
const bookmark = (resourceVersion: string): string => line('BOOKMARK', { metadata: { resourceVersion } });
const status = (code: number, reason = '', retryAfterMs?: number): ApiError =>
  new ApiError(code, { kind: 'Status', reason }, 'GET /things', retryAfterMs);
const noAnswer = { fail: new NoAnswerError({ method: 'GET', path: '/' }, 'reset') };
/** A watch that stays open and quiet until it is aborted. */
const open: Answer = { watch: [{ waitMs: 1e9 }] };

/**
 * Runs a watcher against a script: one answer a request, in order; afterwards an open watch. Who asks how new the server is gets a failure or a
 * version if that is next in the script, and is told of the far future otherwise.
 */
function run(t: TestContext, answers: Answer[], options: Partial<WatcherOptions<KubeObject>> = {}) {
  const clock = new FakeClock();
  const log: string[] = [];
  const times: number[] = [];
  let openWatches = 0;
  const next = (request: ApiRequest): Answer => {
    const { watch, resourceVersion, continue: token, limit } = request.query ?? {};
    const isQuestion = watch !== true && limit === 1;
    const what = watch === true ? `watch ${resourceVersion}` : token === undefined ? 'list' : `page ${token}`;
    log.push(isQuestion ? 'ask' : what);
    times.push(clock.monotonic());
    const [scripted] = answers;
    if (isQuestion && (scripted === undefined || 'list' in scripted || 'watch' in scripted)) return { newest: '1000000' };
    return answers.shift() ?? open;
  };
  let problem: Error | undefined;
  const unscripted = (scripted: string): Error => {
    problem ??= new Error(`${scripted} was scripted, but the watcher asked for ${log.at(-1)}`);
    return problem;
  };
  const api: ApiTransport = {
    async request<T>(request: ApiRequest): Promise<T> {
      const answer = next(request);
      if ('fail' in answer) throw answer.fail;
      if ('watch' in answer) throw unscripted('a watch');
      if ('newest' in answer && log.at(-1) !== 'ask') throw unscripted('a version');
      return ('newest' in answer ? { metadata: { resourceVersion: answer.newest }, items: [] } : answer.list) as T;
    },
    async *streamBatches(request) {
      const answer = next(request);
      if ('fail' in answer) throw answer.fail;
      if (!('watch' in answer)) throw unscripted('list' in answer ? 'a list' : 'a version');
      openWatches++;
      try {
        for (const step of answer.watch) {
          if ('lines' in step) yield step.lines;
          else if ('waitMs' in step) await clock.sleep(step.waitMs, request.signal);
          else throw step.fail;
        }
      } finally {
        openWatches--;
      }
    },
    exchange: () => assert.fail('a watcher needs no exchange'),
    stream: () => assert.fail('a watcher reads batches'),
  };
  const watcher = new Watcher<KubeObject>({
    api,
    path: '/things',
    clock,
    random: () => 0,
    sink: {
      replaced: (objects, version) => log.push(`replaced ${version}: ${objects.map(({ metadata }) => metadata.name).join(' ')}`),
      applied: ({ metadata }) => log.push(`applied ${metadata.name}`),
      removed: ({ metadata }) => log.push(`removed ${metadata.name}`),
      progressed: (version) => log.push(`progressed ${version}`),
      absent: () => log.push('absent'),
    },
    ...options,
  });
  const stop = new AbortController();
  const running = watcher.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    assert.ifError(problem);
    assert.equal(watcher.state, 'stopped');
    assert.equal(openWatches, 0, 'a watch was left open');
    assert.equal(clock.pendingTimers, 0, 'a timer was left behind');
  });
  return { clock, log, times, watcher, signal: stop.signal, openWatches: () => openWatches };
}

const stories: Record<string, { answers: Answer[]; afterMs?: number; want: string[] }> = {
  'a list of several pages arrives as one': {
    answers: [list('5', [object('a', '1')], 'p2'), list('5', [object('b', '2')], 'p3'), list('5', [object('c', '3')])],
    want: ['list', 'page p2', 'page p3', 'replaced 5: a b c', 'watch 5'],
  },
  'a page that fails leaves nothing behind': {
    answers: [list('5', [object('a', '1')], 'p2'), { fail: status(500) }, list('6', [object('b', '2')])],
    afterMs: 2000,
    want: ['list', 'page p2', 'list', 'replaced 6: b', 'watch 6'],
  },
  'a page token that expired begins the list anew': {
    answers: [list('5', [object('a', '1')], 'p2'), { fail: status(410, 'Expired') }, list('9', [object('b', '2')])],
    afterMs: 1000,
    want: ['list', 'page p2', 'list', 'replaced 9: b', 'watch 9'],
  },
  'an answer that is no list is an error': {
    answers: [{ list: { hello: 'I am a proxy' } }, list('5')],
    afterMs: 1000,
    want: ['list', 'list', 'replaced 5: ', 'watch 5'],
  },
  'events are told in order; the next watch begins after the last of them': {
    answers: [
      list('5'),
      {
        watch: [
          { lines: [line('ADDED', object('a', '6')), line('MODIFIED', object('a', '7'))] },
          { lines: [line('DELETED', object('a', '8'))] },
        ],
      },
    ],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'applied a', 'applied a', 'removed a', 'watch 8'],
  },
  'a bookmark moves the position without an event': {
    answers: [list('5'), { watch: [{ lines: [bookmark('50')] }] }],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'progressed 50', 'watch 50'],
  },
  'a replayed event does not take the position back': {
    answers: [list('5'), { watch: [{ lines: [line('ADDED', object('a', '9')), line('ADDED', object('b', '7'))] }] }],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'applied a', 'applied b', 'watch 9'],
  },
  '410 as an answer to a watch leads to a list': {
    answers: [list('5'), { fail: status(410, 'Expired') }, list('90')],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'list', 'replaced 90: ', 'watch 90'],
  },
  '410 inside a watch leads to a list': {
    answers: [
      list('5'),
      { watch: [{ lines: [line('ADDED', object('a', '6')), line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })] }] },
      list('90'),
    ],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'applied a', 'list', 'replaced 90: ', 'watch 90'],
  },
  'any other error inside a watch resumes where it was': {
    answers: [list('5'), { watch: [{ lines: [line('ADDED', object('a', '6')), line('ERROR', { code: 500 })] }] }],
    afterMs: 2000,
    want: ['list', 'replaced 5: ', 'watch 5', 'applied a', 'watch 6'],
  },
  'a line that is no JSON is an error, and the events before it count': {
    answers: [list('5'), { watch: [{ lines: [line('ADDED', object('a', '6')), '{"type":"ADD'] }] }],
    afterMs: 2000,
    want: ['list', 'replaced 5: ', 'watch 5', 'applied a', 'watch 6'],
  },
  'an event of an unknown type is an error': {
    answers: [list('5'), { watch: [{ lines: [line('RENAMED', object('a', '6'))] }] }],
    afterMs: 1000,
    want: ['list', 'replaced 5: ', 'watch 5', 'watch 5'],
  },
  'three watches in a row that are none lead to a list': {
    answers: [list('5'), { fail: status(500) }, { fail: status(500) }, { fail: status(500) }, list('8')],
    afterMs: 8000,
    want: ['list', 'replaced 5: ', 'watch 5', 'watch 5', 'watch 5', 'list', 'replaced 8: ', 'watch 8'],
  },
  'a server out of reach never leads to a list: the position is still good': {
    answers: [list('5'), noAnswer, noAnswer, noAnswer, noAnswer, { newest: '5' }],
    afterMs: 30_000,
    want: ['list', 'replaced 5: ', 'watch 5', 'ask', 'ask', 'ask', 'ask', 'watch 5'],
  },
  'a server that was out of reach and is older now is listed, and believed when it stays so': {
    answers: [
      list('100', [object('ghost', '90')]),
      noAnswer,
      { newest: '60' },
      ...Array.from({ length: 5 }, () => list('61', [object('old', '50')])),
    ],
    afterMs: 30_000,
    want: [
      ...['list', 'replaced 100: ghost', 'watch 100', 'ask'],
      ...['list', 'list', 'list', 'list', 'list', 'replaced 61: old', 'watch 61'],
    ],
  },
  'a server that seemed older once only is watched from its newest list': {
    answers: [list('100'), noAnswer, { newest: '60' }, list('101', [object('a', '101')])],
    afterMs: 5000,
    want: ['list', 'replaced 100: ', 'watch 100', 'ask', 'list', 'replaced 101: a', 'watch 101'],
  },
  'a server that ends a watch in order is not asked how new it is': {
    answers: [list('5'), { watch: [{ lines: [bookmark('6')] }] }, { watch: [{ lines: [bookmark('7')] }] }],
    afterMs: 3000,
    want: ['list', 'replaced 5: ', 'watch 5', 'progressed 6', 'watch 6', 'progressed 7', 'watch 7'],
  },
  'a kind that ceased to be served while the server was out of reach is listed before it is watched': {
    answers: [list('5', [object('a', '4')]), noAnswer, { fail: status(404) }, { fail: status(404) }, list('9')],
    afterMs: 10_000,
    want: ['list', 'replaced 5: a', 'watch 5', 'ask', 'list', 'absent', 'list', 'replaced 9: ', 'watch 9'],
  },
  'a version from the future leads to a list': {
    answers: [
      list('500'),
      {
        fail: new ApiError(504, { kind: 'Status', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }, 'GET /things'),
      },
      list('501'),
    ],
    afterMs: 1000,
    want: ['list', 'replaced 500: ', 'watch 500', 'list', 'replaced 501: ', 'watch 501'],
  },
  'a list older than what was seen is refused, then believed when it stays so': {
    answers: [
      list('100'),
      { fail: status(410) },
      ...Array.from({ length: 4 }, () => list('60')),
      list('60', [object('old', '50')]),
    ],
    afterMs: 30_000,
    want: ['list', 'replaced 100: ', 'watch 100', 'list', 'list', 'list', 'list', 'list', 'replaced 60: old', 'watch 60'],
  },
  'a list that is older once only is never shown': {
    answers: [list('100'), { fail: status(410) }, list('60', [object('old', '50')]), list('101')],
    afterMs: 5000,
    want: ['list', 'replaced 100: ', 'watch 100', 'list', 'list', 'replaced 101: ', 'watch 101'],
  },
  'a kind that is not served is empty after the second answer, and joins when it is': {
    answers: [{ fail: status(404) }, { fail: status(404) }, { fail: status(404) }, list('7', [object('a', '6')])],
    afterMs: 10_000,
    want: ['list', 'list', 'absent', 'list', 'list', 'replaced 7: a', 'watch 7'],
  },
  'a kind that stops being served is listed before it is watched again': {
    answers: [list('5', [object('a', '4')]), { fail: status(404) }, { fail: status(404) }, list('9')],
    afterMs: 10_000,
    want: ['list', 'replaced 5: a', 'watch 5', 'list', 'absent', 'list', 'replaced 9: ', 'watch 9'],
  },
};
for (const [name, { answers, afterMs = 0, want }] of Object.entries(stories)) {
  test(name, async (t) => {
    const { clock, log, times } = run(t, answers);
    await clock.advance(afterMs);
    assert.deepEqual(log, want);
    const begins = log
      .filter((entry) => /^(list|watch|page)/.test(entry))
      .map((entry, index) => ({ entry, at: times[index] ?? 0 }));
    const cycles = begins.filter(
      ({ entry }, index) => entry === 'list' || (entry.startsWith('watch') && begins[index - 1]?.entry.startsWith('watch')),
    );
    for (const [index, { at }] of cycles.entries()) {
      const previous = cycles[index - 1];
      if (previous !== undefined) assert.ok(at - previous.at >= 1000, `two cycles began ${at - previous.at} ms apart`);
    }
  });
}

test('a silent watch is given up and opened again where it was, without another request: a quiet kind costs none', async (t) => {
  const { clock, log, openWatches } = run(t, [list('5'), { watch: [{ lines: [bookmark('6')] }, { waitMs: 1e9 }] }]);
  await clock.advance(89_000);
  assert.deepEqual(log.slice(-2), ['watch 5', 'progressed 6']);
  await clock.advance(3000);
  assert.deepEqual(log.slice(-2), ['progressed 6', 'watch 6']);
  await clock.advance(200_000);
  assert.deepEqual(log.slice(-2), ['watch 6', 'watch 6']);
  assert.equal(openWatches(), 1);
});

test('a watch that broke because the server was restored from a backup ends in a list, and the log says why', async (t) => {
  const failures: string[] = [];
  const broken: Answer = { watch: [noAnswer] };
  const { clock, log } = run(t, [list('2000'), broken, { newest: '1500' }, ...Array.from({ length: 5 }, () => list('1501'))], {
    observer: { failure: (error) => failures.push(error.message) },
  });
  await clock.advance(60_000);
  assert.deepEqual(log.slice(2), [
    ...['watch 2000', 'ask', 'list', 'list', 'list', 'list', 'list'],
    ...['replaced 1501: ', 'watch 1501'],
  ]);
  assert.deepEqual(failures.slice(0, 2), [
    'GET /: reset',
    'GET /things: the server is at version 1500, but 2000 was seen before, as after a restore from a backup; listing anew',
  ]);
});

test('a watch that tells something now and then is not silent', async (t) => {
  const steps: WatchStep[] = Array.from({ length: 10 }, (_, index) => [
    { waitMs: 60_000 },
    { lines: [bookmark(`${10 + index}`)] },
  ]).flat();
  const { clock, log } = run(t, [list('5'), { watch: [...steps, { waitMs: 1e9 }] }]);
  await clock.advance(600_000);
  assert.equal(log.filter((entry) => entry.startsWith('watch')).length, 1);
});

test('backoff doubles up to a cap and begins anew after a watch that worked', async (t) => {
  const fail = { fail: new NoAnswerError({ method: 'GET', path: '/' }, 'connection refused') };
  const { clock, times } = run(t, [list('5'), fail, fail, fail, fail, fail, { watch: [{ lines: [bookmark('6')] }, fail] }, fail]);
  await clock.advance(60_000);
  const gaps = times.slice(2).map((at, index) => at - (times[index + 1] ?? 0));
  // No time passes between the question how new the server is and the watch that follows it.
  assert.deepEqual(gaps, [1000, 2000, 4000, 5000, 5000, 0, 1000, 2000, 0]);
});

test('a page that does not arrive is asked for in halves, until one does', async () => {
  const limits: unknown[] = [];
  const clock = new FakeClock();
  const api = {
    async request(request: ApiRequest) {
      limits.push(request.query?.limit);
      if (limits.length < 8) throw new NoAnswerError(request, 'no answer within 30 s', { isTimeout: true });
      return { metadata: { resourceVersion: '5' }, items: [] };
    },
    streamBatches() {
      throw status(410);
    },
  } as unknown as ApiTransport;
  const sink = { replaced() {}, applied() {}, removed() {}, progressed() {}, absent() {} };
  const watcher = new Watcher<KubeObject>({ api, path: '/things', clock, random: () => 0, sink });
  const stop = new AbortController();
  const running = watcher.run(stop.signal);
  await clock.advance(40_000);
  stop.abort();
  await running;
  assert.deepEqual(limits.slice(0, 9), [500, 250, 125, 62, 31, 15, 10, 10, 500], 'the next list begins anew');
});

test('the time the server asks for is kept, however often it asks', async (t) => {
  const busy = { fail: status(429, 'TooManyRequests', 3000) };
  const { clock, times } = run(t, [list('5'), busy, busy, busy, busy]);
  await clock.advance(60_000);
  assert.deepEqual(times, [0, 0, 3000, 6000, 9000, 12_000, 12_000]);
});

test('a server that expires every version it just gave is not asked in a loop', async (t) => {
  const expired = { fail: status(410, 'Expired') };
  const answers = Array.from({ length: 20 }, () => [list('5'), expired]).flat();
  const { clock, log } = run(t, answers);
  await clock.advance(20_000);
  const lists = log.filter((entry) => entry === 'list').length;
  assert.ok(lists <= 7, `${lists} lists in 20 s`);
});

test('a watch that came and went leaves no listener on the signal', async (t) => {
  const { clock, signal } = run(t, [
    list('5'),
    ...Array.from({ length: 20 }, (_, n): Answer => ({ watch: [{ lines: [bookmark(`${10 + n}`)] }] })),
  ]);
  await clock.advance(60_000);
  // One of the open watch, one of the request it made.
  assert.ok(getEventListeners(signal, 'abort').length <= 2, `${getEventListeners(signal, 'abort').length} listeners`);
});

test('who stops between the list and the watch opens no watch', async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const clock = new FakeClock();
  const watcher = new Watcher<KubeObject>({
    api: {
      request: async () => ({ metadata: { resourceVersion: '5' }, items: [] }),
      streamBatches: () => {
        asked.push('watch');
        return [];
      },
    } as unknown as ApiTransport,
    path: '/things',
    clock,
    sink: {
      replaced() {
        asked.push('replaced');
        stop.abort();
      },
      applied() {},
      removed() {},
      progressed() {},
      absent() {},
    },
    observer: { failure: ({ message }) => asked.push(message) },
  });
  await watcher.run(stop.signal);
  assert.deepEqual([asked, watcher.state, clock.pendingTimers], [['replaced'], 'stopped', 0]);
});

test('a watch that the server ends as soon as it is opened is not opened again in a loop', async (t) => {
  const ended: Answer = { watch: [] };
  const { clock, log } = run(t, [list('5'), ended, ended, ended, list('5'), ended, ended, ended, list('5')]);
  await clock.advance(10_000);
  const opened = log.filter((entry) => entry.startsWith('watch')).length;
  assert.ok(opened <= 5, `${opened} watches in 10 s`);
});

test('selectors, bookmarks and the metadata form are asked for', async () => {
  const requests: ApiRequest[] = [];
  const clock = new FakeClock();
  const watcher = new Watcher<KubeObject>({
    api: {
      async request<T>(request: ApiRequest): Promise<T> {
        requests.push(request);
        return { metadata: { resourceVersion: '5' }, items: [] } as T;
      },
      async *streamBatches(request) {
        requests.push(request);
        if (requests.length === 2) throw new NoAnswerError(request, 'reset');
        await clock.sleep(1e9, request.signal);
        yield [];
      },
      exchange: () => assert.fail(),
      stream: () => assert.fail(),
    },
    path: '/things',
    labelSelector: 'a=b',
    fieldSelector: 'metadata.name=c',
    metadataOnly: true,
    pageSize: 7,
    clock,
    random: () => 0.5,
    sink: { replaced() {}, applied() {}, removed() {}, progressed() {}, absent() {} },
  });
  const stop = new AbortController();
  const running = watcher.run(stop.signal);
  await clock.advance(2000);
  stop.abort();
  await running;
  const selectors = { labelSelector: 'a=b', fieldSelector: 'metadata.name=c' };
  const listAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  const watched = {
    query: { ...selectors, watch: true, allowWatchBookmarks: true, resourceVersion: '5', timeoutSeconds: 450 },
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  };
  assert.deepEqual(
    requests.map(({ query, accept }) => ({ query, accept })),
    [
      { query: { ...selectors, limit: 7, continue: undefined }, accept: listAccept },
      watched,
      { query: { ...selectors, limit: 1 }, accept: listAccept },
      watched,
    ],
  );
});
