import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort, isPortFree } from './port.ts';

const execute = promisify(execFile);

test('a free port can be listened on, and is then no longer free', async (t) => {
  const port = await freePort();
  assert.ok(port >= 20_000 && port < 32_000);
  assert.equal(await isPortFree(port), true);
  const server = createServer().listen(port, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  assert.equal(await isPortFree(port), false);
});

test('a port once given is not given again, neither here nor in another process, though nobody listens on it yet', async () => {
  // A few ports only: in a wide range the same number hardly ever comes twice.
  const range = await rangeFromAFreePort(20);
  const given: number[] = [];
  const search = `import('${import.meta.resolve('./port.ts')}').then(async ({ freePort }) => console.log(await freePort(${JSON.stringify(range)})))`;
  for (let round = 0; round < 4; round++) {
    given.push(await freePort(range));
    const { stdout } = await execute(process.execPath, ['--eval', search]);
    assert.ok(!given.includes(Number(stdout)), `${stdout.trim()} was given to this process before: ${given.join(', ')}`);
  }
  assert.equal(new Set(given).size, given.length, given.join(', '));
});

test('a range without a free port is named', async () => {
  const range = await rangeFromAFreePort(1);
  await assert.rejects(freePort(range), {
    message: `no free TCP port found on 127.0.0.1 between ${range.from} and ${range.to}; close programs that listen there and try again`,
  });
});

/** The first of the range is this process's already. */
async function rangeFromAFreePort(size: number): Promise<{ from: number; to: number }> {
  const from = await freePort();
  return { from, to: from + size };
}
