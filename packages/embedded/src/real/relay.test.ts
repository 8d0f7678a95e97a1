import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { freePort } from '#process/port.ts';
import { Relay } from './relay.ts';

/** Answers with everything it got, once its client has finished. */
async function echo(t: TestContext): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let words = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      words += chunk;
    });
    socket.on('end', () => socket.end(`${words} back`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('bytes pass both ways, also after one side has finished', async (t) => {
  const port = await freePort();
  const relay = await Relay.start({ address: '127.0.0.2', port }, await echo(t));
  t.after(() => relay.stop());
  const client = connect({ host: '127.0.0.2', port, allowHalfOpen: true });
  // More than fits into the buffers on the way: what is still under way must arrive as well.
  const words = 'there and '.repeat(1_000_000);
  client.end(words);
  assert.ok((await text(client)) === `${words} back`);
});

test('a target that is not there, and a stop, end the connections', async (t) => {
  const port = await freePort();
  const nobody = await Relay.start({ address: '127.0.0.2', port }, await freePort());
  t.after(() => nobody.stop());
  const refused = connect({ host: '127.0.0.2', port });
  refused.on('error', () => {});
  await once(refused, 'close');

  const other = await freePort();
  const relay = await Relay.start({ address: '127.0.0.2', port: other }, await echo(t));
  const open = connect({ host: '127.0.0.2', port: other });
  open.on('error', () => {});
  await once(open, 'connect');
  const closed = once(open, 'close');
  open.resume();
  await relay.stop();
  await closed;
});
