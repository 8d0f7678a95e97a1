import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import { EgressCounter } from '#simulator/egress/counter.ts';
import { asSeen, patchOf } from '#simulator/engine/decision.ts';
import { Executor } from '#simulator/engine/executor.ts';
import type { Stored } from '#simulator/objects.ts';
import { isPhase } from '../things.ts';
import { download, Stage } from './stage.ts';

test('what depends on an object as it was seen is not done once it has changed', async () => {
  await using stage = await Stage.open({ speed: 10 });
  const namespace = await stage.namespace();
  await stage.create('DataVolume', namespace, 'disk', download('import:10m'));
  const seen = await stage.until('DataVolume', namespace, 'disk', isPhase('ImportInProgress'));
  const claim = await stage.until('PersistentVolumeClaim', namespace, 'disk', () => true);
  await stage.resource('DataVolume').mergePatch({ name: 'disk', namespace }, { metadata: { labels: { changed: 'yes' } } });
  const signal = new AbortController().signal;
  const executor = new Executor({ connection: stage.connection, egress: new EgressCounter(), signal });
  const mark = (value: string) => patchOf('PersistentVolumeClaim', claim as Stored, { metadata: { labels: { mark: value } } });
  const late = await executor.execute([asSeen('DataVolume', seen as Stored), mark('late')], 0);
  assert.ok(late.failure?.error instanceof ApiError && late.failure.error.code === 409);
  await stage.simulator.stop();
  const changed = await stage.resource('DataVolume').get({ name: 'disk', namespace });
  const { failure } = await executor.execute([asSeen('DataVolume', changed as Stored), mark('in-time')], 0);
  assert.equal(failure, undefined);
});
