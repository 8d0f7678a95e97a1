import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../test/until.ts';
import type { AnswerHandler, Flow, Outgoing } from './sender.ts';
import { SocketPool, type SocketPoolOptions } from './socket-pool.ts';

const get: Outgoing = { origin: '', path: '/x', method: 'GET', headers: {}, body: null, reset: false };
const empty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** One request, as its handler is told of it. */
class Asked implements AnswerHandler {
  readonly #outcome = Promise.withResolvers<string>();
  flow: Flow | undefined;
  body = '';
  beforeSend: () => void = () => undefined;
  onPiece: (flow: Flow) => void = () => undefined;
  ends = 0;

  /** The body, or why there is none. */
  get outcome(): Promise<string> {
    return this.#outcome.promise;
  }

  onRequestStart(flow: Flow): void {
    this.flow = flow;
    this.beforeSend();
  }

  onResponseStart(): void {}

  onResponseData(flow: Flow, piece: Buffer): void {
    this.body += piece.toString();
    this.onPiece(flow);
  }

  onResponseEnd(): void {
    this.ends++;
    this.#outcome.resolve(this.body);
  }

  onResponseError(_: Flow, error: Error): void {
    this.ends++;
    this.#outcome.resolve(`error: ${error.message}`);
  }
}

function ask(pool: SocketPool, request: Partial<Outgoing> = {}, asked = new Asked()): Asked {
  pool.dispatch({ ...get, ...request }, asked);
  return asked;
}

/** A server that is the test's own: told of each request as its text came, with the socket to answer on. */
async function serve(
  t: TestContext,
  onRequest: (socket: Socket, text: string, count: number) => void,
  options: SocketPoolOptions = {},
): Promise<{ pool: SocketPool; sockets: Socket[]; server: Server; origin: string }> {
  const sockets: Socket[] = [];
  let count = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', (data) => onRequest(socket, data.toString(), ++count));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = new SocketPool({ origin }, options);
  t.after(async () => {
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pool, sockets, server, origin };
}

test('a request says who is asked, what is sent and how long it is, in bytes', async (t) => {
  const texts: string[] = [];
  const { pool, origin } = await serve(t, (socket, text) => {
    texts.push(text);
    socket.write(empty);
  });
  const host = origin.replace('http://', '');
  await ask(pool, { headers: { accept: 'a', 'impersonate-group': ['b', 'c'] } }).outcome;
  await ask(pool, { method: 'POST', path: '/y?z=1', body: '{"a":"ä"}' }).outcome;
  await ask(pool, { method: 'PUT' }).outcome;
  assert.deepEqual(texts, [
    `GET /x HTTP/1.1\r\nhost: ${host}\r\naccept: a\r\nimpersonate-group: b\r\nimpersonate-group: c\r\n\r\n`,
    `POST /y?z=1 HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 10\r\n\r\n{"a":"ä"}`,
    `PUT /x HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`,
  ]);
});

test('a socket that has become old takes no further request, and those that wait get another', async (t) => {
  for (const [oldestMs, want] of [
    [0, 4],
    [60_000, 1],
  ] as const) {
    const { pool, sockets } = await serve(t, (socket) => socket.write(empty), { oldestMs, most: 1 });
    const asked = [ask(pool), ask(pool), ask(pool)];
    assert.deepEqual(await Promise.all(asked.map(({ outcome }) => outcome)), ['', '', '']);
    assert.equal(await ask(pool).outcome, '');
    assert.equal(sockets.length, want);
  }
});

test('what would break out of its line is refused before anything is sent', async (t) => {
  const texts: string[] = [];
  const { pool, sockets } = await serve(t, (socket, text) => {
    texts.push(text.split('\r\n')[0] as string);
    socket.write(empty);
  });
  const token = { authorization: 'Bearer a\r\nimpersonate-user: root' };
  assert.equal(await ask(pool, { headers: token }).outcome, 'error: the header authorization has characters that cannot be sent');
  for (const path of ['/a b', '/a\r\nb', '/ä', 'a'])
    assert.equal(await ask(pool, { path }).outcome, `error: the path ${JSON.stringify(path)} has characters that cannot be sent`);
  assert.equal(sockets.length, 0);
  // What was refused is not merely sent later.
  await ask(pool, { path: '/fine' }).outcome;
  assert.deepEqual([texts, sockets.length], [['GET /fine HTTP/1.1'], 1]);
});

test('requests go out in the order they came, on no more sockets than allowed', async (t) => {
  const paths: string[] = [];
  const { pool, sockets } = await serve(
    t,
    (socket, text) => {
      paths.push(text.split(' ')[1] as string);
      setImmediate(() => socket.write(empty));
    },
    { most: 1 },
  );
  const asked = Array.from({ length: 20 }, (_, index) => ask(pool, { path: `/${index}` }));
  await Promise.all(asked.map(({ outcome }) => outcome));
  assert.deepEqual(
    paths,
    asked.map((_, index) => `/${index}`),
  );
  assert.equal(sockets.length, 1);
  assert.deepEqual(new Set(asked.map(({ ends }) => ends)), new Set([1]));
});

test('each request is told once that nobody listens, however many there are', async (t) => {
  const { pool, server, origin } = await serve(t, () => undefined, { most: 2 });
  server.close();
  await once(server, 'close');
  const asked = Array.from({ length: 9 }, () => ask(pool));
  const outcomes = new Set(await Promise.all(asked.map(({ outcome }) => outcome)));
  assert.deepEqual(outcomes, new Set([`error: connect ECONNREFUSED ${origin.replace('http://', '')}`]));
  assert.deepEqual(
    asked.map(({ ends }) => ends),
    asked.map(() => 1),
  );
});

test('a server that hangs up as soon as it is called fails the request, and the next is tried', async (t) => {
  const { pool, server } = await serve(t, (socket) => socket.write(empty));
  const hangUp = (socket: Socket): void => void socket.destroy();
  server.prependListener('connection', hangUp);
  assert.match(await ask(pool).outcome, /^error: (the server closed the connection|read ECONNRESET|write EPIPE)/);
  server.off('connection', hangUp);
  assert.equal(await ask(pool).outcome, '');
});

test('a socket its server has closed is not used again', async (t) => {
  const { pool, sockets } = await serve(t, (socket) => socket.write(empty));
  await ask(pool).outcome;
  sockets[0]?.end();
  await until('the socket to be closed', () => sockets[0]?.closed === true);
  assert.equal(await ask(pool).outcome, '');
  assert.equal(sockets.length, 2);
});

test('after an answer that is the last one, the next request has another socket', async (t) => {
  const { pool, sockets } = await serve(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  );
  await ask(pool).outcome;
  await ask(pool).outcome;
  assert.equal(sockets.length, 2);
});

const stale = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong';
for (const [name, behind] of Object.entries({ 'a whole answer': stale, 'the beginning of one': 'HTTP/1.1 500' }))
  test(`${name} behind the one that was asked for is nobody's, also when the next request waits already`, async (t) => {
    const { pool, sockets } = await serve(t, (socket, _, count) => socket.write(count === 1 ? empty + behind : empty), {
      most: 1,
    });
    const asked = [ask(pool), ask(pool)];
    assert.deepEqual(await Promise.all(asked.map(({ outcome }) => outcome)), ['', '']);
    assert.equal(sockets.length, 2);
  });

test('what a server says on an idle socket closes it, and is not taken for an answer', async (t) => {
  const { pool, sockets } = await serve(t, (socket) => socket.write(empty));
  await ask(pool).outcome;
  sockets[0]?.write('HTTP/1.1 500');
  await until('the socket to be closed', () => sockets[0]?.closed === true);
  assert.equal(await ask(pool).outcome, '');
  assert.equal(sockets.length, 2);
});

for (const [name, isCrowd] of Object.entries({ 'one by one': false, 'all at once': true }))
  test(`a server that closes each socket after its answer loses no request: ${name}`, async (t) => {
    const { pool, sockets } = await serve(t, (socket) => socket.end(empty), { most: 2 });
    const outcomes: string[] = [];
    const asked = Array.from({ length: 20 }, async () => {
      if (isCrowd) outcomes.push(await ask(pool).outcome);
    });
    await Promise.all(asked);
    if (!isCrowd) for (let count = 0; count < 20; count++) outcomes.push(await ask(pool).outcome);
    assert.deepEqual([new Set(outcomes), outcomes.length, sockets.length], [new Set(['']), 20, 20]);
  });

test('a socket that nobody uses is closed after a while, also one that was quiet for longer while it was used', async (t) => {
  const { pool, sockets } = await serve(t, (socket) => void setTimeout(() => socket.write(empty), 120), { idleMs: 40 });
  assert.equal(await ask(pool).outcome, '');
  await until('the socket to be closed', () => sockets[0]?.closed === true);
});

test('a server that ends its side fails a request at once, also one that is not sent to its end', async (t) => {
  const { pool, sockets } = await serve(t, (socket) => {
    socket.pause();
    socket.end();
  });
  const large = ask(pool, { method: 'POST', body: 'x'.repeat(20 * 1024 * 1024) });
  assert.match(await large.outcome, /^error: (the server closed the connection before its answer|read ECONNRESET|write EPIPE)/);
  assert.equal(sockets.length, 1);
});

test('requests whose server ends their sockets at the moment the pool is destroyed are told so', async (t) => {
  const open: Socket[] = [];
  const { pool } = await serve(t, (socket) => open.push(socket));
  const asked = [ask(pool), ask(pool), ask(pool)];
  await until('all requests', () => open.length === 3);
  const told = asked.map(async ({ outcome }) => {
    await outcome;
    await pool.destroy();
  });
  for (const socket of open) socket.end();
  await Promise.all(told);
  assert.deepEqual(
    asked.map(({ ends }) => ends),
    [1, 1, 1],
  );
});

test('a request that is aborted before it has a socket leaves none behind', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const opened: Socket[] = [];
  server.on('connection', (socket) => opened.push(socket.on('error', () => undefined).resume()));
  // Nobody ever answers the handshake.
  const pool = new SocketPool({ origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const asked = new Asked();
  let flow: Flow | undefined;
  const onWaiting = (waiting: Flow): void => {
    flow = waiting;
  };
  pool.dispatch(get, Object.assign(asked, { onWaiting }));
  await until('a connection', () => opened.length === 1);
  flow?.abort(new Error('not needed any more'));
  await until('its end', () => opened[0]?.closed === true);
  assert.equal(asked.ends, 0);
  await pool.destroy();
});

test('a pool without sockets is a mistake', () => {
  for (const most of [0, Number.NaN])
    assert.throws(() => new SocketPool({ origin: 'http://a' }, { most }), {
      message: `expected one socket or more, got ${most}`,
    });
});

test('who is paused when his answer ends holds up nobody after him', async (t) => {
  const { pool } = await serve(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), { most: 1 });
  const first = new Asked();
  first.onPiece = (flow) => flow.pause();
  ask(pool, {}, first);
  assert.equal(await first.outcome, 'ok');
  assert.equal(await ask(pool).outcome, 'ok');
});

test('a request that is refused right before it goes leaves its socket to the next', async (t) => {
  const texts: string[] = [];
  const { pool, sockets } = await serve(
    t,
    (socket, text) => {
      texts.push(text);
      socket.write(empty);
    },
    { most: 1 },
  );
  const refused = new Asked();
  refused.beforeSend = () => {
    throw new Error('not the leader any more');
  };
  const aborted = new Asked();
  aborted.beforeSend = () => aborted.flow?.abort(new Error('too late'));
  ask(pool, { path: '/refused' }, refused);
  ask(pool, { path: '/aborted' }, aborted);
  const last = ask(pool, { path: '/last' });
  assert.deepEqual([await refused.outcome, await last.outcome], ['error: not the leader any more', '']);
  assert.deepEqual([texts.length, texts[0]?.startsWith('GET /last '), aborted.ends, sockets.length], [1, true, 0, 1]);
});

test('an aborted request is told nothing more; its socket is closed and the next has another', async (t) => {
  const { pool, sockets } = await serve(t, (socket, _, count) => {
    socket.write(count === 1 ? 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart' : empty);
  });
  const first = new Asked();
  first.onPiece = (flow) => flow.abort(new Error('enough'));
  ask(pool, {}, first);
  await until('the socket to be closed', () => sockets[0]?.closed === true);
  assert.equal(await ask(pool).outcome, '');
  assert.deepEqual([first.body, first.ends, sockets.length], ['part', 0, 2]);
});

test('to destroy it fails what is under way and what waits, closes all sockets, and refuses what comes later', async (t) => {
  const isAsked = Promise.withResolvers<void>();
  const { pool, sockets } = await serve(t, () => isAsked.resolve(), { most: 1 });
  const [sent, waiting] = [ask(pool), ask(pool)];
  await isAsked.promise;
  await pool.destroy();
  assert.deepEqual(
    [await sent.outcome, await waiting.outcome, await ask(pool).outcome],
    ['error: the connection was closed', 'error: the connection was closed', 'error: the connection is closed'],
  );
  await until('the socket to be closed', () => sockets[0]?.closed === true);
});

test('a program with nothing left but an idle pool ends; one with a request on its way waits for it', () => {
  const program = `
    import { createServer } from 'node:http';
    import { SocketPool } from ${JSON.stringify(new URL('./socket-pool.ts', import.meta.url).href)};
    const server = createServer((_, response) => setTimeout(() => response.end('x'), 100).unref());
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => socket.unref()).listen(0, '127.0.0.1', () => {
      server.unref();
      const pool = new SocketPool({ origin: 'http://127.0.0.1:' + server.address().port });
      const nothing = () => {};
      const ask = (onEnd) => pool.dispatch(${JSON.stringify(get)}, { onRequestStart: nothing, onResponseStart: nothing, onResponseData: nothing,
        onResponseEnd: onEnd, onResponseError: (_, error) => console.log(error.message) });
      ask(() => {
        console.log('answered');
        setImmediate(() => ask(() => console.log('answered again')));
      });
    });`;
  const { stdout, status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.deepEqual({ stdout, status, signal }, { stdout: 'answered\nanswered again\n', status: 0, signal: null });
});
