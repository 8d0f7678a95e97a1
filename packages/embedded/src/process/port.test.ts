import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort, isPortFree } from './port.ts';

test('a free port can be listened on, and is then no longer free', async (t) => {
  const port = await freePort();
  assert.ok(port >= 20_000 && port < 32_000);
  assert.equal(await isPortFree(port), true);
  const server = createServer().listen(port, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  assert.equal(await isPortFree(port), false);
});
