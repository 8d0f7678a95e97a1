import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from './stage.ts';
import { types } from './types.ts';

test('an image is downloaded once, cut, and can be cloned', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const image = await stage.phase('debian', 'Succeeded');
  const { artifact, attempt, retry, history } = image.status ?? {};
  const [dataVolume, ...others] = stage.things(types.dataVolumes);
  assert.equal(others.length, 0);
  assert.equal(artifact?.dataVolume, dataVolume?.metadata.name);
  assert.equal(attempt?.number, 1);
  assert.equal(retry?.lastAttempt, 1);
  assert.deepEqual(
    history?.map(({ result }) => result),
    ['Succeeded'],
  );
  const cut = stage.things(types.snapshots).find(({ metadata }) => metadata.name === artifact?.volumeSnapshot);
  assert.equal(cut?.status?.readyToUse, true);
  await stage.until('the slot to be free', () => stage.ledger().entries.size === 0);
});
