import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { ensureBinaries } from '@terrain/embedded';
import { Connection } from '@terrain/runtime';
import { ControlPlane } from '#control-plane/control-plane.ts';
import { freePort } from '#process/port.ts';
import { homeDirectory } from './home-directory.ts';

test('a port taken between looking and listening is told apart from other failures, and another one works', {
  timeout: 60_000,
}, async (t) => {
  const { home: directory, remove } = homeDirectory();
  const plane = await ControlPlane.prepare({ directory, binaries: await ensureBinaries(['core']), throwAway: true });
  t.after(async () => {
    plane.killAll();
    await Promise.all(plane.processes.map((component) => component.waitForExit()));
    remove();
  });
  const squatter = createServer().listen(0, '127.0.0.1');
  t.after(() => squatter.close());
  await once(squatter, 'listening');
  const { port: taken } = squatter.address() as AddressInfo;
  await plane.startEtcd();

  await plane.startApiServer(taken);
  await using refused = new Connection(plane.credentials(taken));
  await assert.rejects(plane.apiServerReady(refused, taken), { code: 'PortTaken' });

  const port = await freePort();
  await plane.startApiServer(port);
  await using connection = new Connection(plane.credentials(port));
  await plane.apiServerReady(connection, port);
});

test('a program that cannot start is named with its last words', { timeout: 60_000 }, async (t) => {
  const { home: directory, remove } = homeDirectory();
  const plane = await ControlPlane.prepare({ directory, binaries: await ensureBinaries(['core']), throwAway: true });
  t.after(remove);
  await plane.start('kube-scheduler', ['--no-such-flag']);
  await using connection = new Connection(plane.credentials(1));
  await assert.rejects(plane.apiServerReady(connection, 1), {
    code: 'ComponentFailed',
    message:
      /^kube-scheduler ended instead of becoming ready; the last lines of .+kube-scheduler\.log are:\n[\s\S]*unknown flag: --no-such-flag/,
  });
});
