import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '#csi/command.ts';
import { spawnGuarded } from '#process/guard.ts';
import { until } from '#process/until.ts';
import { CsiClient } from './client.ts';
import { nodeStand, placeOf, publish } from './node-stand.ts';
import { rootTest } from './root.ts';
import { code, Stand, services } from './stand.ts';

const program = fileURLToPath(new URL('./crashing-driver.ts', import.meta.url));
const noStep = '0';

rootTest('a driver killed while it holds a file system still for a snapshot does not leave its writers stopped', async (t) => {
  const stand = await nodeStand(t);
  const place = placeOf(stand, (await stand.createVolume('a')).volumeId);
  await publish(stand, place);
  await stand.close();

  // A copier that takes as long as the test wants.
  const [tools, started, mayEnd] = ['tools', 'started', 'may-end'].map((name) => join(stand.directory, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(tools);
  const script = `#!/bin/sh\ntouch ${started}\nwhile [ ! -e ${mayEnd} ]; do sleep 0.1; done\nexec /bin/cp "$@"\n`;
  writeFileSync(join(tools, 'cp'), script);
  chmodSync(join(tools, 'cp'), 0o755);
  const env = { ...process.env, PATH: `${tools}:${process.env.PATH}` };
  const driver = spawnGuarded(process.execPath, [program, stand.directory, noStep, 'after'], {
    stdout: 'pipe',
    stderr: 'ignore',
    env,
  });
  await once(driver.stdout!, 'data');
  const client = new CsiClient(await services(), join(stand.directory, 'crashing.sock'));
  const snapshot = assert.rejects(client.call('createSnapshot', { name: 'cut', sourceVolumeId: place.volumeId }), {
    code: code.Unavailable,
  });
  await until('the copy', async () => existsSync(started) || undefined, { timeoutMs: 60_000 });

  const writing = runCommand('sh', ['-c', `echo written > ${join(place.targetPath, 'file')}`]);
  const gone = once(driver, 'exit');
  driver.kill('SIGKILL');
  await gone;
  await snapshot;
  client.close();
  assert.ok(!existsSync(join(place.targetPath, 'file')) || readFileSync(join(place.targetPath, 'file'), 'utf8') === '');
  writeFileSync(mayEnd, '');
  const timeout = new AbortController();
  const outcome = await Promise.race([writing.then(() => 'written'), delay(60_000, 'stopped', { signal: timeout.signal })]);
  timeout.abort();
  // Nothing but this could ever end the writer, and with it the test.
  if (outcome === 'stopped') await runCommand('fsfreeze', ['--unfreeze', place.stagingTargetPath]);
  assert.equal(outcome, 'written');
  assert.equal(readFileSync(join(place.targetPath, 'file'), 'utf8'), 'written\n');

  const next = await Stand.open(stand.directory);
  try {
    assert.deepEqual(next.kept(), { volumes: [place.volumeId], snapshots: [], work: [] });
    await next.createSnapshot('cut', place.volumeId);
  } finally {
    await next.close();
  }
});
