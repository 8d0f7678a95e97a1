import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Connection, type KubeObject } from '@terrain/runtime';
import { ApiFake } from '@terrain/runtime/testing';
import { waitUntilReady } from './readiness.ts';

const image = (name: string, conditions: Record<string, string>, message: string) => ({
  apiVersion: 'pelotech.ot/v1alpha1',
  kind: 'VMDiskImage',
  metadata: { name, namespace: 'default' },
  status: { message, conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});

const type = { group: 'pelotech.ot', version: 'v1alpha1', plural: 'vmdiskimages', namespaced: true };
const workspaces = { group: 'pelotech.ot', version: 'v1alpha1', plural: 'workspaces', namespaced: false };
let fake: ApiFake;
let connection: Connection;

before(async () => {
  fake = await ApiFake.start({
    kinds: [
      { type, kind: 'VMDiskImage' },
      { type: workspaces, kind: 'Workspace' },
    ],
  });
  connection = new Connection(fake.credentials);
});

after(async () => {
  await connection.close();
  await fake.close();
});

function wait(objects: readonly KubeObject[], timeoutMs: number): Promise<void> {
  return waitUntilReady(connection, objects, { signal: new AbortController().signal, timeoutMs, onReady: () => {} });
}

test('ends when all are ready, and leaves kinds alone that nobody acts on', async () => {
  const ready = image('ready', { Ready: 'True' }, 'machines can clone it');
  fake.seed(ready);
  const workspace = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'Workspace', metadata: { name: 'lab' } };
  fake.seed({ ...workspace, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  const template = { apiVersion: 'workshop.platform/v1alpha1', kind: 'WorkspaceTemplate', metadata: { name: 't' } };
  await wait([ready, workspace, template], 10_000);
});

test('one that gave up ends the wait at once, in its own words; one that is late is told with what it waits for, and another code', async () => {
  const failed = image('failed', { Ready: 'False', Stalled: 'True' }, 'given up: 404 Not Found');
  const late = image('late', { Ready: 'False' }, 'waits for a slot');
  fake.seed(failed);
  fake.seed(late);
  await assert.rejects(wait([failed], 3_600_000), {
    message: 'not all examples became ready:\n  VMDiskImage default/failed: given up: 404 Not Found',
    exitCode: 1,
  });
  await assert.rejects(wait([late], 2000), {
    message: 'not all examples became ready within 2.0 s:\n  VMDiskImage default/late: waits for a slot',
    exitCode: 3,
  });
  await assert.rejects(wait([failed, late], 2000), {
    message:
      'not all examples became ready:\n  VMDiskImage default/failed: given up: 404 Not Found\n  VMDiskImage default/late: waits for a slot',
    exitCode: 1,
  });
});
