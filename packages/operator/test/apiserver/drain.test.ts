import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage, types } from './stage.ts';
import { observing } from './watched.ts';

const quick = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 300, bind: 20, snapshot: 50, podStop: 20 },
};

test('a queue is drained in order, never above the limit, with six writes an image', async () => {
  await using stage = await Stage.open({ scenario: quick, policy: { concurrency: '4' } });
  const proxy = await stage.proxy();
  await stage.startOperator({ through: proxy.credentials });
  const count = 40;
  await observing(stage, async () => {
    for (let index = 0; index < count; index++) await stage.createImage(`img-${String(index).padStart(3, '0')}`);
    await stage.until('all images', () => stage.images().filter(({ status }) => status?.phase === 'Succeeded').length === count);
    await stage.until('free slots', () => stage.ledger().entries.size === 0);
  });
  const tally = proxy.log.tally({ verb: 'write' });
  console.log(tally, proxy.log.tally({ verb: 'read' }));
  const events = tally['create events'] ?? 0;
  const writes = Object.values(tally).reduce((sum, number) => sum + number, 0) - events;
  assert.equal(events, count);
  assert.ok(writes <= 6 * count + 2, `${writes / count} writes an image: ${JSON.stringify(tally)}`);
  assert.equal(stage.things(types.dataVolumes).length, count);
});
