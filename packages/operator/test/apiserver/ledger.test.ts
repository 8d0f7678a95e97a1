import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isUnseen, ledgerName } from '@terrain/api';
import { defaultScenario } from '@terrain/embedded/testing';
import { compareVersions } from '@terrain/runtime';
import { namespaceOfOperator } from './platform.ts';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';

const slow = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 600_000, bind: 20, snapshot: 50, podStop: 50 },
};
const at = { name: ledgerName, namespace: namespaceOfOperator };
const versionOfLedger = (stage: Stage): string =>
  stage.informers.get(types.configMaps).store.get(`${namespaceOfOperator}/${ledgerName}`)?.metadata.resourceVersion ?? '0';
const uids = (stage: Stage): (string | undefined)[] =>
  stage
    .things(types.dataVolumes)
    .map(({ metadata }) => metadata.uid)
    .sort();

/** Three downloads of a limit of two would be one too many: what runs was admitted, what waits waits. */
async function running(stage: Stage): Promise<(string | undefined)[]> {
  for (let index = 0; index < 4; index++) await stage.createImage(`img-${index}`);
  await stage.until('two downloads', () => stage.ledger().entries.size === 2 && stage.things(types.dataVolumes).length === 2);
  await stage.until('the downloads to run', () =>
    stage.things(types.dataVolumes).every(({ status }) => String(status?.phase).startsWith('Import')),
  );
  return uids(stage);
}

/** Each answers with the version of the ledger it made. */
const damages: Record<string, (stage: Stage) => Promise<Thing>> = {
  emptied: (stage) => stage.resource(types.configMaps).mergePatch(at, { data: null }),
  'robbed of its entries': (stage) => {
    const entries = Object.keys(stage.ledgerData()).filter((key) => key.startsWith('entry.'));
    return stage.resource(types.configMaps).mergePatch(at, { data: Object.fromEntries(entries.map((key) => [key, null])) });
  },
  'with an entry that is no JSON': (stage) => {
    const [entry = ''] = Object.keys(stage.ledgerData()).filter((key) => key.startsWith('entry.'));
    return stage.resource(types.configMaps).mergePatch(at, { data: { [entry]: 'nonsense' } });
  },
  'with another limit': (stage) => stage.resource(types.configMaps).mergePatch(at, { data: { limit: '900' } }),
};

for (const [name, damage] of Object.entries(damages))
  test(`a ledger ${name} is repaired, no import is killed and none too many begun`, async () => {
    await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '2' } });
    await stage.startOperator();
    const before = await running(stage);
    const holders = [...stage.ledger().entries.keys()].sort();
    const { metadata: damaged } = await damage(stage);
    await stage.until(
      'a repaired ledger',
      () =>
        compareVersions(versionOfLedger(stage), damaged.resourceVersion ?? '') > 0 &&
        stage.ledgerData().schema === '1' &&
        stage.ledger().limit === 2 &&
        isDeepStrictEqual([...stage.ledger().entries.keys()].sort(), holders),
    );
    // Whoever was admitted meanwhile would have a number by now.
    for (const name of ['img-2', 'img-3']) assert.equal(stage.image(name)?.status?.attempt, undefined, name);
    assert.deepEqual(uids(stage), before);
  });

test('a ledger that is gone with its namespace is made again from what runs', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '2' } });
  await stage.startOperator();
  const before = await running(stage);
  const old = stage.informers.get(types.configMaps).store.get(`${namespaceOfOperator}/${ledgerName}`)?.metadata.uid;
  const namespaces = stage.resource(types.namespaces);
  await namespaces.delete({ name: namespaceOfOperator });
  await stage.until(
    'the namespace to be gone',
    () => stage.informers.get(types.namespaces).store.get(namespaceOfOperator) === undefined,
  );
  await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOfOperator } });
  await stage.install();
  await stage.setPolicy({ concurrency: '2' });
  await stage.until('another ledger', () => {
    const uid = stage.informers.get(types.configMaps).store.get(`${namespaceOfOperator}/${ledgerName}`)?.metadata.uid;
    return uid !== undefined && uid !== old && stage.ledger().entries.size === 2;
  });
  assert.deepEqual(uids(stage), before);
});

test('a ledger of another version is read only: nothing starts, nothing is written', async () => {
  await using stage = await Stage.open({ scenario: slow });
  await stage.resource(types.configMaps).mergePatch(at, { data: { schema: '99' } });
  await stage.startOperator();
  await stage.createImage('debian');
  const image = await stage.until('a sentence', () => {
    const found = stage.image('debian');
    return found === undefined || isUnseen(found) ? undefined : found;
  });
  assert.match(image.status?.message ?? '', /the ledger has schema 99, this version knows 1 only/);
  assert.equal(stage.ledgerData().schema, '99');
  assert.equal(stage.things(types.dataVolumes).length, 0);
  await stage.stopOperators();
  await stage.resetLedger();
});
