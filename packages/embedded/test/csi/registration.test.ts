import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CsiClient } from './client.ts';
import { newDirectory, Stand, services } from './stand.ts';

test('kubelet learns from a socket of its own who the driver is and where it listens', async (t) => {
  const directory = newDirectory();
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const registrationSocket = join(directory, 'registry', 'csi.terrain.dev-reg.sock');
  const words: string[] = [];
  const stand = await Stand.open(directory, { registrationSocket, onWord: (sentence) => words.push(sentence) });
  const kubelet = new CsiClient(await services(), registrationSocket, ['Registration']);
  t.after(async () => {
    kubelet.close();
    await stand.close();
  });
  const endpoint = join(directory, 'csi.sock');
  assert.deepEqual(await kubelet.call('getInfo'), {
    type: 'CSIPlugin',
    name: 'csi.terrain.dev',
    endpoint,
    supportedVersions: ['1.0.0'],
  });
  await kubelet.call('notifyRegistrationStatus', { pluginRegistered: true });
  await kubelet.call('notifyRegistrationStatus', { pluginRegistered: false, error: 'name taken' });
  assert.deepEqual(words, ['kubelet did not take csi.terrain.dev: name taken']);
  for (const socket of [endpoint, registrationSocket]) assert.equal(statSync(socket).mode & 0o777, 0o600, socket);
  assert.deepEqual(await stand.client.call('probe'), { ready: { value: true } });
});
