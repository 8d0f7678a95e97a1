import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine, VMDiskImage } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { defaultScenario } from '@terrain/embedded/testing';
import { ApiError, isNotFound } from '@terrain/runtime';
import type { Invariant } from '@terrain/runtime/testing';
import { Observer } from '@terrain/runtime/testing';
import { hold } from './hold.ts';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { observing } from './watched.ts';

const rounds = 4;
const observed = [types.images, types.machines, types.dataVolumes, types.snapshots];

interface Cloning {
  readonly source?: { readonly snapshot?: { readonly namespace: string; readonly name: string } };
}

/** At the version at which a root disk is made, the image it is cloned from is there to stay. */
const staysForClones: Invariant = (world, { type, resource, object }) => {
  const cloned = ((object as Thing).spec as Cloning | undefined)?.source?.snapshot;
  if (type !== 'ADDED' || resource.plural !== 'datavolumes' || cloned === undefined) return undefined;
  const image = (world.list(types.images) as unknown as VMDiskImage[]).find(
    ({ metadata, status }) => metadata.namespace === cloned.namespace && status?.artifact?.volumeSnapshot === cloned.name,
  );
  if (image === undefined) return `${object.metadata.name} is cloned from an image that is gone`;
  return image.metadata.deletionTimestamp === undefined ? undefined : `${object.metadata.name} is cloned from an image that goes`;
};

/** Ways for an image to go, by name of the image they are tried on. */
const ways: Record<string, { readonly isMade: boolean; readonly go: (stage: Stage, name: string) => Promise<unknown> }> = {
  deleted: { isMade: false, go: (stage, name) => stage.resource(types.images).delete({ name, namespace: stage.namespace }) },
  // Pruned by the operator as soon as nobody is seen to refer to it.
  pruned: { isMade: true, go: (stage) => stage.setPolicy({ templateImageTTL: '1ms' }) },
};

for (const [way, { isMade, go }] of Object.entries(ways))
  for (const order of ['machine first', 'image first'] as const)
    test(`an image does not vanish under a starting machine: ${way} in the same instant, ${order}`, async () => {
      await using stage = await Stage.open({ policy: { templateImageTTL: '1h' } });
      await stage.startOperator();
      const names = Array.from({ length: rounds }, (_, index) => `img-${index}`);
      for (const name of names)
        await stage.createImage(name, isMade ? { metadata: { labels: { 'pelotech.ot/created-by': 'test' } } } : {});
      for (const name of names) await stage.phase(name, 'Succeeded');
      const observer = await Observer.start({
        connection: stage.connection,
        kinds: observed,
        invariants: { 'a clone has its source': staysForClones },
      });
      try {
        const machine = (name: string): VirtualMachine =>
          aVirtualMachine({
            metadata: { name, namespace: stage.namespace },
            spec: { vmDiskImageRef: { name, namespace: stage.namespace }, interfaces: [] },
          });
        await Promise.all(
          names.map(async (name) => {
            const starts = [() => stage.resource<VirtualMachine>(types.machines).create(machine(name)), () => go(stage, name)];
            if (order === 'image first') starts.reverse();
            await Promise.all(starts.map((start) => start().catch(ignoreRefusal)));
          }),
        );
        for (const name of names) await stage.until(`${name} to be decided`, () => outcomeOf(stage, name));
        await observer.caughtUp();
        observer.assertClean();
        // One that went may be on its way back already, made anew for its machine.
        for (const name of names) {
          const outcome = outcomeOf(stage, name);
          const hasDisk = stage.things(types.dataVolumes).some(({ metadata }) => isRootOf(stage, metadata, name));
          if (outcome !== undefined) assert.equal(hasDisk, outcome === 'kept', `${name} was ${outcome}`);
        }
      } finally {
        await observer.close();
      }
    });

test('an image deleted in mid-sync, and named by a machine before it is gone, gives its slot back and waits for the machine', async () => {
  const durations = { ...defaultScenario.durations, schedule: 20, validate: 20, import: 600_000, podStop: 50 };
  await using stage = await Stage.open({ scenario: { durations }, policy: { concurrency: '1' } });
  await stage.startOperator();
  const image = { name: 'first', namespace: stage.namespace };
  await observing(stage, async () => {
    await stage.createImage('first');
    const { name = '' } = (await stage.until('a download', () => stage.things(types.dataVolumes)[0])).metadata;
    {
      await using _ = await hold(stage, types.dataVolumes, name);
      await stage.resource(types.images).delete(image);
      await stage.until('the download to be ended', () =>
        stage.things(types.dataVolumes).some(({ metadata }) => metadata.deletionTimestamp !== undefined),
      );
      await stage.resource<VirtualMachine>(types.machines).create(
        aVirtualMachine({
          metadata: { name: 'late', namespace: stage.namespace },
          spec: { vmDiskImageRef: image, interfaces: [] },
        }),
      );
      await stage.reason('first', 'InUse');
    }
    await stage.createImage('second', { sim: 'import:10ms' });
    await stage.phase('second', 'Succeeded');
    assert.match(stage.image('first')?.status?.message ?? '', /^is being deleted, but 1 virtual machine refers to it/);
  });
  await stage.resource(types.machines).delete({ name: 'late', namespace: stage.namespace });
  await stage.until('it to be gone', () => stage.image('first') === undefined);
});

test('an image in a namespace that is on its way out goes, though machines elsewhere refer to it', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  const doomed = await stage.cluster.namespace('doomed');
  await stage.createImage('debian', { namespace: doomed, metadata: { annotations: { 'pelotech.ot/paused': 'true' } } });
  await stage.until('it to be seen', () => stage.image('debian', doomed)?.status?.phase === 'Queued');
  // Something else keeps the namespace from being gone before a machine comes.
  const anchor = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'anchor', namespace: doomed, finalizers: ['test/anchor'] },
  };
  await stage.resource(types.configMaps).create(anchor);
  const machine = aVirtualMachine({
    metadata: { name: 'late', namespace: stage.namespace },
    spec: { vmDiskImageRef: { name: 'debian', namespace: doomed }, interfaces: [] },
  });
  await Promise.all([
    stage.resource(types.namespaces).delete({ name: doomed }),
    stage.resource<VirtualMachine>(types.machines).create(machine),
  ]);
  await stage.until('the image to be gone', () => stage.image('debian', doomed) === undefined);
  await stage.resource(types.configMaps).mergePatch({ name: 'anchor', namespace: doomed }, { metadata: { finalizers: null } });
  await stage.until(
    'the namespace to be gone',
    () => stage.informers.get<Thing>(types.namespaces).store.get(doomed) === undefined,
  );
});

const isRootOf = (stage: Stage, { ownerReferences }: Thing['metadata'], name: string): boolean =>
  ownerReferences?.some(({ kind, uid }) => kind === 'VirtualMachine' && uid === machineOf(stage, name)?.metadata.uid) === true;

const machineOf = (stage: Stage, name: string): VirtualMachine | undefined =>
  stage.informers.get<VirtualMachine>(types.machines).store.get(`${stage.namespace}/${name}`);

/** Kept: the machine has its disk. Gone, or held on its way out: it has none, and waits. */
function outcomeOf(stage: Stage, name: string): 'kept' | 'gone' | 'held' | undefined {
  const image = stage.image(name);
  if (image === undefined) return 'gone';
  const reason = image.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  if (image.metadata.deletionTimestamp !== undefined) return reason === 'InUse' ? 'held' : undefined;
  return machineOf(stage, name)?.status?.rootDisk === undefined ? undefined : 'kept';
}

function ignoreRefusal(error: unknown): undefined {
  if (isNotFound(error) || (error instanceof ApiError && error.code === 403)) return undefined;
  throw error;
}
