import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Counter, Registry } from 'prom-client';
import { HealthServer, type HealthServerOptions } from './health-server.ts';

async function rig(t: TestContext, options: Partial<HealthServerOptions> = {}) {
  const server = new HealthServer({ port: 0, ...options });
  t.after(() => server.close());
  const port = await server.listen();
  const ask = async (path: string, method = 'GET'): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { connection: 'close' } });
    return [response.status, await response.text()];
  };
  return { server, ask, port };
}

test('alive from the start, ready only once every check is content', async (t) => {
  const { server, ask } = await rig(t);
  assert.deepEqual(await ask('/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask('/readyz'), [503, 'not ok\n'], 'nobody has said yet what readiness means');
  let problem: string | undefined = 'waiting for the first list of pods';
  server.addReadiness('caches', () => problem);
  server.addReadiness('other', () => undefined);
  assert.deepEqual(await ask('/readyz'), [503, '[-] caches: waiting for the first list of pods\n[+] other\nnot ok\n']);
  problem = undefined;
  assert.deepEqual(await ask('/readyz?verbose'), [200, '[+] caches\n[+] other\nok\n']);
  server.addLiveness('loop', () => 'stuck');
  assert.deepEqual(await ask('/healthz'), [503, '[-] loop: stuck\nnot ok\n']);
});

test('metrics are shown to those who may see them', async (t) => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
  const open = await rig(t, { registry });
  const [code, body] = await open.ask('/metrics');
  assert.equal(code, 200);
  assert.match(body, /^things_total 3$/m);
  const closed = await rig(t, { registry, mayReadMetrics: async () => false });
  assert.equal((await closed.ask('/metrics'))[0], 403);
  const none = await rig(t);
  assert.equal((await none.ask('/metrics'))[0], 404);
});

test('a port that is taken is a sentence', async (t) => {
  const { port } = await rig(t);
  const second = new HealthServer({ port });
  await assert.rejects(second.listen(), {
    message: `probes cannot be answered on 127.0.0.1:${port}: another program listens there`,
  });
});

test('anything else is refused', async (t) => {
  const { ask } = await rig(t);
  assert.equal((await ask('/'))[0], 404);
  assert.equal((await ask('/healthz', 'POST'))[0], 405);
});
