import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { listeningInodes, portHolder, portTakenSentence } from './port-holder.ts';

test('only sockets that listen on the port count', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:403B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 0
   1: 0100007F:403B 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0 20 4 30 10 -1
   2: 0100007F:403C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0 0 10 0
`;
  assert.deepEqual(listeningInodes(table, 0x403b), ['111']);
  assert.deepEqual(listeningInodes('', 1), []);
});

test('the holder of a port is named, in a sentence that says what to do', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (process.platform === 'linux') assert.equal((await portHolder(port))?.pid, process.pid);
  const sentence = await portTakenSentence(port, '/home');
  assert.match(
    sentence,
    new RegExp(
      `^Port ${port} on 127\\.0\\.0\\.1, which the cluster in /home uses, is taken by .+: stop that program, or choose another port with --port\\.$`,
    ),
  );
});

test('a port nobody listens on has no holder', async () => assert.equal(await portHolder(1), undefined));
