import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DataSync, DataSyncVM } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { applyManifests, type Informer, type KubeObject } from '@terrain/runtime';
import { parse } from 'yaml';
import { ignoreAbsent } from './platform.ts';
import { Stage } from './stage.ts';
import { types } from './types.ts';

const dataSyncType = { ...types.images, plural: 'datasyncs' };
const examples = join(import.meta.dirname, '../../../../examples');
const patienceMs = 180_000;

const item = (name: string, file = `${name}.qcow2`): DataSyncVM => ({
  name,
  sourceType: 'http',
  url: `https://images.example.com/${file}`,
  diskSize: '1Gi',
});

/** A stage with DataSyncs on it. */
class Sets implements AsyncDisposable {
  readonly stage: Stage;
  readonly #informer: Informer<DataSync>;

  private constructor(stage: Stage) {
    this.stage = stage;
    this.#informer = stage.informers.get<DataSync>(dataSyncType);
  }

  static async open(): Promise<Sets> {
    const sets = new Sets(await Stage.open());
    await sets.#informer.synced;
    await sets.stage.startOperator();
    return sets;
  }

  async create(manifest: Pick<DataSync, 'spec'> & { metadata: { name: string } }): Promise<void> {
    const { namespace } = this.stage;
    const metadata = { ...manifest.metadata, namespace };
    // Applied, not posted: the mutating policies answer 503 for a while after the kinds are new, and applying is tried again.
    const set: KubeObject = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'DataSync', ...manifest, metadata };
    await applyManifests(this.stage.cluster.connection(), [set], { fieldManager: 'test' });
  }

  async setItems(name: string, ...vms: readonly DataSyncVM[]): Promise<void> {
    await this.stage.resource(dataSyncType).mergePatch({ name, namespace: this.stage.namespace }, { spec: { vms } });
  }

  /** Waits until a DataSync, undefined once it is gone, is as it should be. */
  async until(name: string, what: string, isMet: (dataSync: DataSync | undefined) => boolean): Promise<DataSync | undefined> {
    const key = `${this.stage.namespace}/${name}`;
    const { promise, resolve, reject } = Promise.withResolvers<DataSync | undefined>();
    const look = (): void => {
      const found = this.#informer.store.get(key);
      if (isMet(found)) resolve(found);
    };
    const forget = this.#informer.onChange(look);
    const timer = setTimeout(() => {
      const { status } = this.#informer.store.get(key) ?? {};
      reject(new Error(`waited ${patienceMs / 1000} s for ${name} to be ${what}; its status is ${JSON.stringify(status)}`));
    }, patienceMs);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      forget();
    }
  }

  phase(name: string, phase: string): Promise<DataSync | undefined> {
    return this.until(
      name,
      phase,
      (found) => found?.status?.phase === phase && found.status.observedGeneration === found.metadata.generation,
    );
  }

  /** Before the stage sweeps: a DataSync would have its images back. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage.stopOperators();
    const dataSyncs = this.stage.resource<DataSync>(dataSyncType);
    for (const { metadata } of (await dataSyncs.list()).items) {
      const at = { name: metadata.name, namespace: metadata.namespace };
      await dataSyncs.mergePatch(at, { metadata: { finalizers: null } }).catch(ignoreAbsent);
      await dataSyncs.delete(at).catch(ignoreAbsent);
    }
    await this.stage[Symbol.asyncDispose]();
  }
}

for (const file of ['seeds/003-datasync.yaml', 'images/datasync.yaml']) {
  test(`the example ${file} is downloaded as it stands`, async () => {
    await using sets = await Sets.open();
    const example = parse(readFileSync(join(examples, file), 'utf8')) as DataSync;
    await sets.create(example);
    const { status } = (await sets.phase(example.metadata.name, 'Succeeded')) ?? {};
    assert.deepEqual(status?.counts, { total: 3, queued: 0, syncing: 0, succeeded: 3, failed: 0 });
    assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    const names = example.spec.vms.map(({ name }) => `${example.metadata.name}-${name}`);
    assert.deepEqual(
      sets.stage
        .images()
        .map(({ metadata }) => metadata.name)
        .sort(),
      names.sort(),
    );
  });
}

test('items come, change and go; what a machine uses stays', async () => {
  await using sets = await Sets.open();
  const { stage } = sets;
  const { namespace } = stage;
  await sets.create({ metadata: { name: 'lab' }, spec: { workspaceId: 'w', vms: [item('a'), item('b'), item('c')] } });
  await sets.phase('lab', 'Succeeded');

  await sets.setItems('lab', item('a', 'new.qcow2'), item('b'), item('c'));
  await stage.until('the new source of a', () => {
    const { artifact, phase } = stage.image('lab-a')?.status ?? {};
    return phase === 'Succeeded' && artifact?.url === 'https://images.example.com/new.qcow2';
  });
  await sets.phase('lab', 'Succeeded');
  assert.equal(stage.image('lab-b')?.status?.attempt?.number, 1);

  const machines = stage.resource(types.machines);
  const machine = aVirtualMachine({
    metadata: { name: 'web', namespace },
    spec: { vmDiskImageRef: { name: 'lab-b', namespace } },
  });
  await machines.create(machine as never);
  await stage.until('b to count its machine', () => stage.image('lab-b')?.status?.references === 1);
  await sets.setItems('lab', item('c'));
  await stage.until('a to be gone', () => stage.image('lab-a') === undefined);
  await sets.until('lab', 'without a', (found) => /left in place .* VMDiskImage lab-b/.test(found?.status?.message ?? ''));
  assert.equal(stage.image('lab-b')?.metadata.ownerReferences, undefined);
  assert.equal(stage.image('lab-b')?.status?.phase, 'Succeeded');

  await stage.resource(dataSyncType).delete({ name: 'lab', namespace }, { propagationPolicy: 'Background' });
  await sets.until('lab', 'gone', (found) => found === undefined);
  await stage.until('c to be gone', () => stage.image('lab-c') === undefined);
  assert.deepEqual([stage.image('lab-b')?.metadata.deletionTimestamp, stage.image('lab-b')?.status?.references], [undefined, 1]);
  await machines.delete({ name: 'web', namespace }).catch(ignoreAbsent);
});

test('a name that is taken is left to whom it belongs, and used when it is free', async () => {
  await using sets = await Sets.open();
  const { stage } = sets;
  const { metadata } = await stage.createImage('lab-a');
  await stage.phase('lab-a', 'Succeeded');
  await sets.create({ metadata: { name: 'lab' }, spec: { workspaceId: 'w', vms: [item('a'), item('b')] } });
  const { status } = (await sets.phase('lab', 'Failed')) ?? {};
  assert.equal(status?.conditions?.find(({ type }) => type === 'Stalled')?.reason, 'NameTaken');
  assert.equal(stage.image('lab-a')?.metadata.uid, metadata.uid);
  await stage.resource(types.images).delete({ name: 'lab-a', namespace: stage.namespace });
  await sets.phase('lab', 'Succeeded');
  assert.notEqual(stage.image('lab-a')?.metadata.uid, metadata.uid);
});
