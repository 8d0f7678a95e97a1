import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syncPolicyName } from '@terrain/api';
import { defaultScenario } from '@terrain/embedded/testing';
import { namespaceOfOperator } from './platform.ts';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { observing } from './watched.ts';

const slow = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 600_000, bind: 20, snapshot: 50, podStop: 50 },
};
const active = (stage: Stage): number => stage.ledger().entries.size;

test('the limit is followed live: raised it admits at once, lowered it kills nobody, at 0 nobody starts', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    for (let index = 0; index < 6; index++) await stage.createImage(`img-${index}`);
    await stage.until('one download', () => active(stage) === 1 && stage.things(types.dataVolumes).length === 1);
    await stage.setPolicy({ concurrency: '3' });
    await stage.until('three downloads', () => active(stage) === 3 && stage.things(types.dataVolumes).length === 3);
    await stage.setPolicy({ concurrency: '0' });
    await stage.reason('img-5', 'PolicyPaused');
    assert.equal(active(stage), 3, 'nobody was killed');
    await stage.setPolicy(undefined);
    await stage.until('the default', () => active(stage) === 4);
  });
});

test('garbage keeps the last good value, also over a restart, and says so', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '2' } });
  await stage.startOperator();
  await stage.until('the policy', () => stage.ledger().limit === 2);
  for (const garbage of ['', 'abc', '-1', '1e9', '4.5', '١']) {
    await stage.setPolicy({ concurrency: garbage, retryLimit: '7', nonsense: 'x' });
    await stage.until(
      'the rest of the policy',
      () => stage.ledger().policy.get('retryLimit') === '7' && stage.ledgerData().policyResourceVersion !== undefined,
    );
    assert.equal(stage.ledger().limit, 2, garbage);
    await stage.setPolicy({ concurrency: '2' });
    await stage.until('a good policy again', () => stage.ledger().policy.get('retryLimit') === '2');
  }
  await stage.setPolicy({ concurrency: 'abc' });
  const events = await warnings(stage);
  assert.ok(
    events.some((note) => /key concurrency is "abc", which is not a whole number from 0 to 1000; "2" stays in force/.test(note)),
    events.join('\n'),
  );
  assert.ok(events.some((note) => /there is no key "nonsense"/.test(note)));
  await stage.stopOperators();
  await stage.startOperator();
  for (let index = 0; index < 3; index++) await stage.createImage(`img-${index}`);
  await stage.until('two downloads', () => active(stage) === 2);
  await stage.reason('img-2', 'Queued');
  assert.equal(stage.ledger().limit, 2);
});

/** Events come some time after what they tell of. */
async function warnings(stage: Stage): Promise<string[]> {
  const events = stage.resource(types.events);
  for (;;) {
    const { items } = await events.list({ namespace: namespaceOfOperator });
    const notes = items
      .map((event) => event as unknown as { note?: string; type?: string; regarding?: { name?: string } })
      .filter(({ type, regarding }) => type === 'Warning' && regarding?.name === syncPolicyName)
      .map(({ note }) => note ?? '');
    if (notes.some((note) => note.includes('"abc"')) && notes.some((note) => note.includes('nonsense'))) return notes;
  }
}

test('one namespace holds no more slots than its share, and its images keep their places', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '3', namespaceShare: '2' } });
  await stage.startOperator();
  const other = await stage.cluster.namespace('other');
  for (let index = 0; index < 4; index++) await stage.createImage(`img-${index}`);
  await stage.until('two downloads', () => active(stage) === 2);
  await stage.createImage('late', { namespace: other });
  await stage.phase('late', 'Syncing', other);
  assert.deepEqual([...stage.ledger().entries.values()].map(({ image }) => image.split('/')[1]).sort(), [
    'img-0',
    'img-1',
    'late',
  ]);
});
