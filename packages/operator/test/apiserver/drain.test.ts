import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage } from './stage.ts';
import { types } from './types.ts';
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
  const tally: Record<string, number> = {};
  for (const { write, code = 0, verb, resource, subresource } of proxy.log.requests) {
    if (write === undefined || code >= 300) continue;
    const what = [verb, resource, ...(subresource === undefined ? [] : [subresource])].join(' ');
    tally[what] = (tally[what] ?? 0) + 1;
  }
  const events = tally['create events'] ?? 0;
  const writes = Object.values(tally).reduce((sum, number) => sum + number, 0) - events;
  assert.equal(events, count);
  // Six for an image that takes less than five seconds; on a busy machine one takes longer, and reports meanwhile.
  assert.ok(writes <= 6 * count + reports(stage) + 4, `${writes / count} writes an image: ${JSON.stringify(tally)}`);
  assert.equal(stage.things(types.dataVolumes).length, count);
});

/** How often downloads may have reported: at most every five seconds each, and the last report may come with the end. */
function reports(stage: Stage): number {
  const seconds = stage
    .images()
    .flatMap(({ status }) =>
      (status?.history ?? []).map(({ started, ended }) => (Date.parse(ended) - Date.parse(started)) / 1000),
    );
  return seconds.reduce((sum, length) => sum + (length < 4 ? 0 : Math.ceil(length / 5)), 0);
}
