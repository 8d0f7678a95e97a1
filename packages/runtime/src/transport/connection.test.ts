import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { heapBytes } from '#testing/heap-bytes.ts';
import { until } from '../../test/until.ts';
import { ApiError } from './api-error.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { NoAnswerError } from './no-answer-error.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => unknown;

/** A server that is the test's own, and a connection to it. Both end with the test. */
async function serve(
  t: TestContext,
  handler: Handler,
  options: ConnectionOptions & { credentials?: Partial<Credentials> } = {},
): Promise<{ connection: Connection; requests: IncomingMessage[]; sockets: Set<Socket>; address: string }> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request);
    void handler(request, response, requests.length);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = new Connection({ server: address, ...options.credentials }, options);
  t.after(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  return { connection, requests, sockets, address };
}

const answer = (response: ServerResponse, code: number, body: unknown, headers: Record<string, string | string[]> = {}): void => {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const get = { method: 'GET', path: '/x' } as const;

test('an answer is parsed; the query leaves out what is undefined; the user agent is ours', async (t) => {
  const { connection, requests } = await serve(t, (_, response) => answer(response, 200, { a: 1 }), { userAgent: 'me/1' });
  assert.deepEqual(await connection.request({ ...get, query: { limit: 5, continue: undefined, flag: true } }), { a: 1 });
  assert.equal(requests[0]?.url, '/x?limit=5&flag=true');
  assert.equal(requests[0]?.headers['user-agent'], 'me/1');
  assert.equal(requests[0]?.headers.authorization, undefined);
});

test('the path of the server address is kept, plain text stays text', async (t) => {
  const { address, requests } = await serve(t, (_, response) => response.end('ok'));
  await using connection = new Connection({ server: `${address}/cluster/7/` });
  assert.equal(await connection.request(get), 'ok');
  assert.equal(requests[0]?.url, '/cluster/7/x');
});

for (const request of [get, { method: 'DELETE', path: '/x', body: { preconditions: { uid: 'u' } } }] as const)
  test(`requests that follow each other reuse their sockets: ${request.method}`, async (t) => {
    const opened = new Set<Socket>();
    const { connection } = await serve(t, ({ socket }, response) => {
      opened.add(socket);
      answer(response, 200, {});
    });
    for (let i = 0; i < 20; i++) await connection.request(request);
    // A socket may need a moment after its answer, so the next request can find it busy; more than a spare is a leak.
    assert.ok(opened.size <= 2, `${opened.size} sockets for 20 requests`);
  });

test('requests at the same time never take more sockets than allowed', async (t) => {
  const { connection, sockets } = await serve(t, (_, response) => setImmediate(() => answer(response, 200, {})), {
    maxSockets: 3,
  });
  await Promise.all(Array.from({ length: 20 }, () => connection.request(get)));
  assert.ok(sockets.size <= 3, `${sockets.size} sockets`);
});

test('a refusal carries code, reason, causes and the words of the server', async (t) => {
  const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'too small' }];
  const status = { kind: 'Status', code: 422, reason: 'Invalid', message: 'size is too small', details: { causes } };
  const { connection } = await serve(t, (_, response) => answer(response, 422, status));
  await assert.rejects(connection.request({ method: 'POST', path: '/x', body: {} }), (error: ApiError) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.reason, error.causes], [422, 'Invalid', causes]);
    assert.equal(error.message, 'POST /x: size is too small');
    return true;
  });
});

const statusless: Record<string, { body: string; message: string }> = {
  'a page of some proxy': { body: '<h1>Bad gateway</h1>\n', message: 'GET /x: <h1>Bad gateway</h1>' },
  'JSON that is no Status': { body: '{"error":"down"}', message: 'GET /x: {"error":"down"}' },
  'JSON null': { body: 'null', message: 'GET /x: null' },
  'no body': { body: '', message: 'GET /x: the API server answered 502' },
};
for (const [name, { body, message }] of Object.entries(statusless)) {
  test(`a refusal without a Status is an ApiError all the same: ${name}`, async (t) => {
    const { connection } = await serve(t, (_, response) => response.writeHead(502).end(body));
    await assert.rejects(connection.request(get), { name: 'ApiError', code: 502, reason: '', message });
  });
}

test('a throttled write is sent again after the time the server asked for', async (t) => {
  const waits: number[] = [];
  const { connection, requests } = await serve(
    t,
    (_, response, count) =>
      count < 3 ? answer(response, 429, {}, { 'retry-after': '7' }) : answer(response, 200, { done: true }),
    { clock: { ...instantClock(waits) } },
  );
  assert.deepEqual(await connection.request({ method: 'POST', path: '/x', body: {} }), { done: true });
  assert.equal(requests.length, 3);
  assert.deepEqual(waits, [7000, 7000]);
});

test('throttling without end is an error in the end', async (t) => {
  const { connection, requests } = await serve(t, (_, response) => answer(response, 429, {}), { clock: instantClock([]) });
  await assert.rejects(connection.request(get), { code: 429 });
  assert.equal(requests.length, 6);
});

test("who is asked to wait longer than his time gets the server's word and the time it asked for, at once", async (t) => {
  const waits: number[] = [];
  const { connection, requests } = await serve(t, (_, response) => answer(response, 429, {}, { 'retry-after': '60' }), {
    clock: instantClock(waits),
  });
  await assert.rejects(connection.request({ ...get, timeoutMs: 60_000 }), { name: 'ApiError', code: 429, retryAfterMs: 60_000 });
  assert.deepEqual([requests.length, waits], [1, []]);
});

const retried: Record<string, { method: 'GET' | 'POST'; code: number; retryAfter?: string; tries: number }> = {
  'a read refused with 503 and a time is sent again': { method: 'GET', code: 503, retryAfter: '1', tries: 6 },
  'a read refused with 503 and no time is not': { method: 'GET', code: 503, tries: 1 },
  'a write refused with 503 is not: it may have been carried out': { method: 'POST', code: 503, retryAfter: '1', tries: 1 },
  'a 500 is never sent again': { method: 'GET', code: 500, retryAfter: '1', tries: 1 },
};
for (const [name, { method, code, retryAfter, tries }] of Object.entries(retried)) {
  test(name, async (t) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const { connection, requests } = await serve(t, (_, response) => answer(response, code, {}, headers), {
      clock: instantClock([]),
    });
    await assert.rejects(connection.request({ method, path: '/x' }), {
      code,
      retryAfterMs: retryAfter === undefined ? undefined : 1000,
    });
    assert.equal(requests.length, tries);
  });
}

test('a server that asks to be left alone for a day is asked again after a minute: it may be back long before', async (t) => {
  const { connection } = await serve(t, (_, response) => answer(response, 503, {}, { 'retry-after': '86400' }));
  await assert.rejects(connection.request({ method: 'GET', path: '/x' }), { name: 'ApiError', retryAfterMs: 60_000 });
});

test('Retry-After may be a date', async (t) => {
  const date = new Date(Date.now() + 50_000).toUTCString();
  const { connection } = await serve(t, (_, response) => answer(response, 500, {}, { 'retry-after': date }));
  await assert.rejects(connection.request(get), (error: ApiError) => {
    assert.ok((error.retryAfterMs ?? 0) > 40_000 && (error.retryAfterMs ?? 0) <= 50_000, `${error.retryAfterMs}`);
    return true;
  });
});

test('a refused token is read anew once, and shared by requests that need one at the same time', async (t) => {
  let reads = 0;
  const token = async (): Promise<string> => `t${++reads}`;
  const { connection, requests } = await serve(
    t,
    (request, response) => answer(response, request.headers.authorization === 'Bearer t1' ? 401 : 200, {}),
    { credentials: { token } },
  );
  await Promise.all([connection.request(get), connection.request(get), connection.request(get)]);
  assert.equal(reads, 2);
  assert.equal(requests.length, 6);
});

test('a token that stays refused is an error, not a loop', async (t) => {
  const { connection, requests } = await serve(t, (_, response) => answer(response, 401, {}), {
    credentials: { token: async () => 'bad' },
  });
  await assert.rejects(connection.request(get), { code: 401 });
  assert.equal(requests.length, 2);
});

test('a stream forgets a refused token as well', async (t) => {
  let reads = 0;
  const { connection } = await serve(
    t,
    (request, response) => (request.headers.authorization === 'Bearer t1' ? answer(response, 401, {}) : response.end('line\n')),
    { credentials: { token: async () => `t${++reads}` } },
  );
  await assert.rejects(Array.fromAsync(connection.stream(get)), { code: 401 });
  assert.deepEqual(await Array.fromAsync(connection.stream(get)), ['line']);
});

test('a token source that fails is asked again by the next request', async (t) => {
  let reads = 0;
  const token = async (): Promise<string> => {
    if (++reads === 1) throw new Error('the plugin crashed');
    return 'good';
  };
  const { connection } = await serve(t, (_, response) => answer(response, 200, {}), { credentials: { token } });
  await assert.rejects(connection.request(get), {
    name: 'NoAnswerError',
    isTimeout: false,
    message: 'GET /x: there is no token to send it with: the plugin crashed',
    isWithoutToken: true,
    cause: new Error('the plugin crashed'),
  });
  await connection.request(get);
});

/** A login that ends when the test says so, or with it: its own patience is a timer. */
function slowLogin(t: TestContext) {
  const { promise, resolve } = Promise.withResolvers<string>();
  t.after(() => resolve('unused'));
  let reads = 0;
  const token = (): Promise<string> => {
    reads++;
    return promise;
  };
  return { token, resolve, reads: (): number => reads };
}

test('a token that does not come is given up at the deadline, and used by who asks after it has come', {
  timeout: 30_000,
}, async (t) => {
  const { token, resolve, reads } = slowLogin(t);
  const { connection, requests } = await serve(t, (_, response) => answer(response, 200, {}), { credentials: { token } });
  await assert.rejects(connection.request({ ...get, timeoutMs: 50 }), (error: NoAnswerError) => {
    assert.ok(error instanceof NoAnswerError);
    assert.equal(error.isTimeout, true);
    assert.match(error.message, /^GET \/x: no token to send it with came in time: see what the login /);
    assert.equal((error.cause as Error).message, 'GET /x: no answer within 0.05 s');
    return true;
  });
  assert.equal(requests.length, 0);
  resolve('late');
  await connection.request(get);
  assert.equal(requests[0]?.headers.authorization, 'Bearer late');
  assert.equal(reads(), 1, 'one reading for both');
});

for (const when of ['before', 'while'] as const)
  test(`who is aborted ${when} a token is waited for gets his own reason, with a request and with a stream`, {
    timeout: 30_000,
  }, async (t) => {
    const { token, reads } = slowLogin(t);
    const { connection, requests } = await serve(t, (_, response) => answer(response, 200, {}), { credentials: { token } });
    const abort = new AbortController();
    const reason = new Error('not needed any more');
    if (when === 'before') abort.abort(reason);
    const asked = { ...get, signal: abort.signal };
    const ended = Promise.allSettled([connection.request(asked), Array.fromAsync(connection.stream(asked))]);
    if (when === 'while') {
      await until('the login', () => reads() > 0);
      abort.abort(reason);
    }
    assert.deepEqual(await ended, [
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    assert.equal(requests.length, 0);
  });

test('a refusal that meets the reading of the next token does not wait for it', { timeout: 30_000 }, async (t) => {
  const { token: next, reads } = slowLogin(t);
  const held: ServerResponse[] = [];
  let first = true;
  const token = (): Promise<string> => {
    if (!first) return next();
    first = false;
    return Promise.resolve('old');
  };
  const { connection } = await serve(
    t,
    ({ url }, response) => (url === '/held' ? held.push(response) : answer(response, 401, {})),
    { credentials: { token } },
  );
  const stream = Array.fromAsync(connection.stream({ ...get, path: '/held' }));
  await until('the stream', () => held.length === 1);
  const abort = new AbortController();
  const reason = new Error('not needed any more');
  const request = assert.rejects(connection.request({ ...get, signal: abort.signal }), reason);
  await until('the next login', () => reads() === 1);
  answer(held[0]!, 401, {});
  await assert.rejects(stream, { code: 401 });
  abort.abort(reason);
  await request;
});

test('impersonation travels in headers, one for each group', async (t) => {
  const { connection, requests } = await serve(t, (_, response) => answer(response, 200, {}), {
    credentials: { impersonate: { user: 'eva', groups: ['a', 'b'] } },
  });
  await connection.request(get);
  assert.equal(requests[0]?.headers['impersonate-user'], 'eva');
  assert.deepEqual(requests[0]?.headersDistinct['impersonate-group'], ['a', 'b']);
});

test('a server that says nothing is given up at the deadline, and its socket closed', async (t) => {
  const { connection, sockets } = await serve(t, () => undefined, { timeoutMs: 30 });
  await assert.rejects(connection.request(get), (error: NoAnswerError) => {
    assert.ok(error instanceof NoAnswerError);
    assert.equal(error.isTimeout, true);
    assert.equal(error.message, 'GET /x: no answer within 0.03 s');
    return true;
  });
  await emptied(sockets);
});

test('a body that stops half-way is given up at the deadline', async (t) => {
  const { connection } = await serve(t, (_, response) => response.writeHead(200).write('{"half":'), { timeoutMs: 50 });
  await assert.rejects(connection.request(get), { isTimeout: true });
});

test('an aborted request ends with the reason of the caller, and its socket is closed', async (t) => {
  const abort = new AbortController();
  const reason = new Error('not needed any more');
  const { connection, sockets } = await serve(t, () => abort.abort(reason));
  await assert.rejects(connection.request({ ...get, signal: abort.signal }), reason);
  await emptied(sockets);
});

test('nothing is sent with a signal that was aborted before', async (t) => {
  const { connection, requests } = await serve(t, (_, response) => answer(response, 200, {}));
  await assert.rejects(connection.request({ ...get, signal: AbortSignal.abort(new Error('too late')) }), /too late/);
  assert.equal(requests.length, 0);
});

test('a refused connection is a sentence with the request and the address', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  await using connection = new Connection({ server: `http://127.0.0.1:${port}` });
  await assert.rejects(connection.request(get), {
    name: 'NoAnswerError',
    isTimeout: false,
    message: `GET /x: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

test('a reply lost with its socket is no answer, and the write is not repeated', async (t) => {
  const { connection, requests } = await serve(t, (request) => request.socket.destroy());
  await assert.rejects(connection.request({ method: 'POST', path: '/x', body: {} }), { name: 'NoAnswerError' });
  assert.equal(requests.length, 1);
});

test('warnings are unquoted, whether in one header or in several; the date of the server is read', async (t) => {
  const warning = ['299 - "first, with a comma", 299 - "second \\"quoted\\""', '299 kube "third"'];
  const { connection } = await serve(t, (_, response) =>
    answer(response, 200, {}, { warning, date: 'Tue, 01 Jan 2030 00:00:00 GMT' }),
  );
  const { warnings, date, code } = await connection.exchange(get);
  assert.deepEqual(warnings, ['first, with a comma', 'second "quoted"', 'third']);
  assert.equal(date?.toISOString(), '2030-01-01T00:00:00.000Z');
  assert.equal(code, 200);
});

test('a stream yields whole lines however its bytes are cut', async (t) => {
  const bytes = Buffer.from('{"a":"ä€😀"}\nsecond\n\nlast');
  const { connection } = await serve(t, async (_, response) => {
    for (const byte of bytes) {
      response.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  assert.deepEqual(await Array.fromAsync(connection.stream(get)), ['{"a":"ä€😀"}', 'second', '', 'last']);
});

test('a stream that breaks in the middle is an error, not an end', async (t) => {
  const { connection } = await serve(t, (request, response) => {
    response.write('one\n', () => setImmediate(() => request.socket.destroy()));
  });
  const seen: string[] = [];
  await assert.rejects(
    async () => {
      for await (const line of connection.stream(get)) seen.push(line);
    },
    { name: 'NoAnswerError' },
  );
  assert.deepEqual(seen, ['one']);
});

test('a stream that is read slowly holds its server up, and is complete all the same', async (t) => {
  const [line, lines] = ['x'.repeat(64 * 1024 - 1), 1024];
  const isHeldUp = Promise.withResolvers<void>();
  const { connection } = await serve(t, async (_, response) => {
    for (let sent = 0; sent < lines; sent++) {
      if (response.write(`${line}\n`)) continue;
      const drained = once(response, 'drain').then(() => true);
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, 100, false));
      if (!(await Promise.race([drained, late]))) isHeldUp.resolve();
      await drained;
    }
    response.end();
  });
  let read = 0;
  for await (const got of connection.stream(get)) {
    if (read === 0) await isHeldUp.promise;
    assert.equal(got.length, line.length);
    read++;
  }
  assert.equal(read, lines);
});

test('all that came while a reader was busy is there when it asks, piece by piece; the end is not held up', async (t) => {
  let pieces = 0;
  const sent = Promise.withResolvers<ServerResponse>();
  const { connection } = await serve(t, (_, response) => response.write('one\n', () => sent.resolve(response)), {
    onPiece: () => pieces++,
  });
  const batches = connection.streamBatches(get);
  assert.deepEqual(await batches.next(), { done: false, value: ['one'] });
  const response = await sent.promise;
  for (const [text, count] of [
    ['two\n', 2],
    ['three\nfour\n', 3],
  ] as const) {
    response.write(text);
    await until(`piece ${count}`, () => pieces === count);
  }
  assert.deepEqual(await batches.next(), { done: false, value: ['two'] });
  assert.deepEqual(await batches.next(), { done: false, value: ['three', 'four'] });
  response.end('five\n');
  assert.deepEqual(await Array.fromAsync(batches), [['five']]);
});

test('leaving the loop and aborting both close the socket of a stream', async (t) => {
  const { connection, sockets } = await serve(t, (_, response) => response.write('one\ntwo\n'));
  for await (const line of connection.stream(get)) {
    assert.equal(line, 'one');
    break;
  }
  await emptied(sockets);
  const abort = new AbortController();
  const reason = new Error('enough');
  await assert.rejects(async () => {
    for await (const line of connection.stream({ ...get, signal: abort.signal })) if (line === 'two') abort.abort(reason);
  }, reason);
  await emptied(sockets);
});

test('the observer is told of every request on the wire, with the code or without', async (t) => {
  const seen: unknown[] = [];
  const { connection } = await serve(
    t,
    (request, response, count) =>
      count === 1 ? answer(response, 200, {}) : count === 2 ? answer(response, 404, {}) : request.socket.destroy(),
    { observer: { requestEnded: ({ method }, code, tookMs) => seen.push([method, code, tookMs >= 0]) } },
  );
  await connection.request(get);
  await connection.request(get).catch(() => undefined);
  await connection.request({ method: 'DELETE', path: '/x' }).catch(() => undefined);
  assert.deepEqual(seen, [
    ['GET', 200, true],
    ['GET', 404, true],
    ['DELETE', undefined, true],
  ]);
});

test('a proxy is asked to connect, and everything goes through it', async (t) => {
  const { address } = await serve(t, (_, response) => answer(response, 200, { through: 'proxy' }));
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const connection = new Connection({ server: address, proxyUrl });
  try {
    assert.deepEqual(await connection.request(get), { through: 'proxy' });
    assert.deepEqual(asked, [address.replace('http://', '')]);
  } finally {
    await connection.close();
    proxy.close();
  }
});

test('a body is sent as JSON under the content type asked for', async (t) => {
  const bodies: string[] = [];
  const { connection, requests } = await serve(t, async (request, response) => {
    bodies.push(await text(request));
    answer(response, 200, {});
  });
  await connection.request({ method: 'PATCH', path: '/x', body: { a: [1] }, contentType: 'application/merge-patch+json' });
  assert.deepEqual(bodies, ['{"a":[1]}']);
  assert.equal(requests[0]?.headers['content-type'], 'application/merge-patch+json');
});

/** Waits are over at once and noted; deadlines never come. */
function instantClock(waits: number[]): NonNullable<ConnectionOptions['clock']> {
  return {
    now: () => 0,
    monotonic: () => 0,
    setTimeout: () => () => undefined,
    sleep: async (ms) => void waits.push(ms),
  };
}

/** The server side learns of a closed socket a moment later. */
async function emptied(sockets: Set<Socket>): Promise<void> {
  for (const socket of [...sockets]) if (!socket.closed) await once(socket, 'close');
  assert.equal(sockets.size, 0);
}

test('certificates that cannot be read fail the requests, not the program', async (t) => {
  const { address } = await serve(t, (_, response) => response.end('ok'));
  const pem = 'no certificate';
  await using connection = new Connection({ server: address.replace('http:', 'https:'), ca: pem, cert: pem, key: pem });
  await assert.rejects(connection.request(get), NoAnswerError);
});

test('the text of a request is not held while its answer is waited for', async (t) => {
  const [count, bytes] = [16, 2 * 2 ** 20];
  const release = Promise.withResolvers<void>();
  let taken = 0;
  const { connection } = await serve(t, async (request, response) => {
    for await (const _ of request);
    taken++;
    await release.promise;
    answer(response, 200, {});
  });
  const before = heapBytes();
  // Large as a text, and small as what it is made from, which belongs to whoever asks.
  const body = { toJSON: () => 'x'.repeat(bytes) };
  const asked = Array.from({ length: count }, () => connection.request({ method: 'POST', path: '/x', body }));
  await until('all requests to be taken', () => taken === count);
  const held = heapBytes() - before;
  release.resolve();
  await Promise.all(asked);
  assert.ok(held < (count * bytes) / 2, `${held} bytes are held for ${count} requests of ${bytes}`);
});
