import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { observing } from './watched.ts';

const slow = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 600_000, bind: 20, snapshot: 50, podStop: 50 },
};
const volumes = (stage: Stage): string[] => stage.things(types.dataVolumes).map(({ metadata }) => metadata.name ?? '');

const readinessOf = ({ status }: VMDiskImage) => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { status: ready?.status, reason: ready?.reason };
};

async function remove(stage: Stage, type: (typeof types)['snapshots'], name: string | undefined): Promise<void> {
  await stage.resource(type).delete({ name: name ?? '', namespace: stage.namespace });
}

test('a snapshot deleted by hand is cut again from the kept volume: no slot, no download', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const { status } = await stage.phase('debian', 'Succeeded');
  const before = volumes(stage);
  const first = stage.things(types.snapshots)[0]?.metadata.uid;
  await stage.setPolicy({ concurrency: '0' });
  await remove(stage, types.snapshots, status?.artifact?.volumeSnapshot);
  await stage.until('another snapshot', () =>
    stage.things(types.snapshots).some(({ metadata, status: cut }) => metadata.uid !== first && cut?.readyToUse === true),
  );
  await stage.phase('debian', 'Succeeded');
  assert.deepEqual(volumes(stage), before);
  assert.equal(stage.image('debian')?.status?.attempt?.number, 1);
  assert.equal(stage.ledger().entries.size, 0);
});

test('snapshot and volume deleted by hand: lost, downloaded again, and never Ready meanwhile', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const { status } = await stage.phase('debian', 'Succeeded');
  await observing(
    stage,
    async (observer) => {
      await stage.setPolicy({ concurrency: '0' });
      await stage.until('a paused policy', () => stage.ledger().limit === 0);
      await remove(stage, types.dataVolumes, status?.artifact?.dataVolume);
      // As long as the claim is there, a snapshot that is gone is cut again.
      await stage.until('the claim to go', () =>
        stage.things(types.claims).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
      );
      await remove(stage, types.snapshots, status?.artifact?.volumeSnapshot);
      await stage.reason('debian', 'PolicyPaused');
      await stage.setPolicy({ concurrency: '1' });
      const { status: healed } = await stage.phase('debian', 'Succeeded');
      await observer.caughtUp();
      const cutAgain = observer.history.find(
        ({ object }) =>
          object.metadata.name === healed?.artifact?.volumeSnapshot && (object as Thing).status?.readyToUse === true,
      );
      const said = observer
        .historyOf(types.images, { name: 'debian', namespace: stage.namespace })
        .map(({ object, revision }) => ({ revision, ...readinessOf(object as unknown as VMDiskImage) }));
      const lost = said.find(({ reason }) => reason === 'ArtifactLost');
      assert.ok(lost !== undefined, said.map(({ reason }) => reason).join());
      assert.ok(cutAgain !== undefined && cutAgain.revision > lost.revision);
      assert.deepEqual(
        said.filter(({ revision, status: is }) => revision >= lost.revision && revision < cutAgain.revision && is !== 'False'),
        [],
      );
    },
    // Whoever deletes behind the operator's back makes Ready untrue for the moment it takes to notice.
    ['S4', 'S5'],
  );
  const image = stage.image('debian');
  assert.equal(image?.status?.attempt?.number, 2);
  assert.equal(stage.simulator.egress.of(image?.spec.url ?? '').downloads, 2);
});

test('a DataVolume deleted by hand ends its attempt, and is never called Ready', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { retryLimit: '1', retryBackoffDuration: '50ms' } });
  await stage.startOperator();
  await observing(stage, async () => {
    const { spec } = await stage.createImage('debian');
    const downloads = (): number => stage.simulator.egress.of(spec.url ?? '').downloads;
    const running = (attempt: number): Promise<Thing> =>
      stage.until(`download ${attempt}`, () =>
        downloads() === attempt
          ? stage.things(types.dataVolumes).find(({ metadata }) => metadata.labels?.['pelotech.ot/attempt'] === `${attempt}`)
          : undefined,
      );
    const first = await running(1);
    await remove(stage, types.dataVolumes, first.metadata.name);
    const second = await running(2);
    assert.match(second.metadata.name ?? '', /-2$/);
    await remove(stage, types.dataVolumes, second.metadata.name);
    const image = await stage.phase('debian', 'Failed');
    assert.deepEqual(
      [image.status?.retry?.gaveUp?.reason, image.status?.retry?.lastReason],
      ['RetryLimitReached', 'DataVolumeLost'],
    );
    await stage.until('a free slot', () => stage.ledger().entries.size === 0);
    assert.equal(downloads(), 2);
  });
});

test('a new source is downloaded while the old snapshot stays; then the old one goes', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const { status } = await stage.phase('debian', 'Succeeded');
  await stage.setPolicy({ concurrency: '0' });
  await stage.until('a paused policy', () => stage.ledger().limit === 0);
  await stage.changeSpec('debian', { url: 'https://images.example.com/debian-13.qcow2' });
  const updating = await stage.reason('debian', 'Updating');
  assert.deepEqual(updating.status?.artifact, status?.artifact, 'the old artifact is still named');
  assert.equal(stage.things(types.snapshots)[0]?.status?.readyToUse, true);
  await observing(stage, async () => {
    await stage.setPolicy({ concurrency: '1' });
    const updated = await stage.until('the new artifact', () => {
      const image = stage.image('debian');
      return image?.status?.phase === 'Succeeded' && image.status.artifact?.url?.endsWith('13.qcow2') === true
        ? image
        : undefined;
    });
    assert.equal(updated.status?.attempt?.number, 2);
    await stage.until(
      'the old children to be gone',
      () => stage.things(types.snapshots).length === 1 && stage.things(types.dataVolumes).length === 1,
    );
    assert.equal(stage.things(types.snapshots)[0]?.metadata.name, updated.status?.artifact?.volumeSnapshot);
  });
});

test('no download without need: retain, name, secretRef, labels, annotations, retryLimit', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const { spec: first } = await stage.phase('debian', 'Succeeded');
  const before = volumes(stage);
  /** What came before it is seen with it: a pass looks at all of the image. */
  const changed = async (spec: Readonly<Record<string, unknown>>): Promise<void> => {
    const { metadata } = await stage.changeSpec('debian', spec);
    const { status } = await stage.until('the change to be seen', () => {
      const image = stage.image('debian');
      return image?.status?.observedGeneration === metadata.generation ? image : undefined;
    });
    assert.deepEqual([status?.phase, status?.attempt?.number], ['Succeeded', 1], JSON.stringify(spec));
  };
  for (const spec of [{ retain: true }, { name: 'other' }, { secretRef: 'other' }, { diskSize: '1024Mi' }]) await changed(spec);
  for (const value of ['x', null]) {
    await stage.annotate('debian', { anything: value });
    await changed({ name: `annotated-${value}` });
    await stage.label('debian', { anything: value });
    await changed({ name: `labelled-${value}` });
  }
  await stage.setPolicy({ retryLimit: '9' });
  await stage.until('the policy', () => stage.ledger().policy.get('retryLimit') === '9');
  await changed({ retain: false });
  const { items } = await stage.resource(types.dataVolumes).list({ namespace: stage.namespace });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    before,
  );
  assert.equal(stage.simulator.egress.of(first.url ?? '').downloads, 1);
});

test('a source changed in mid-sync ends the attempt without a failure; changed back, it is downloaded as it is then', async () => {
  await using stage = await Stage.open({ scenario: { ...slow, rules: [] }, policy: { retryBackoffDuration: '300ms' } });
  await stage.startOperator();
  await observing(stage, async () => {
    const { spec } = await stage.createImage('debian', { sim: 'import:600s' });
    await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
    await stage.changeSpec('debian', { url: 'https://images.example.com/other.qcow2?sim=import:600s' });
    await stage.until('the second attempt', () => volumes(stage).some((name) => name.endsWith('-2')));
    await stage.changeSpec('debian', { url: spec.url });
    await stage.until('the third attempt', () => volumes(stage).some((name) => name.endsWith('-3')));
    await stage.changeSpec('debian', { url: 'https://images.example.com/fast.qcow2?sim=import:10ms' });
    const image = await stage.phase('debian', 'Succeeded');
    assert.deepEqual(
      image.status?.history?.map(({ result }) => result),
      ['Succeeded', 'SourceChanged', 'SourceChanged', 'SourceChanged'],
    );
    assert.equal(image.status?.retry?.failures, undefined);
  });
});
