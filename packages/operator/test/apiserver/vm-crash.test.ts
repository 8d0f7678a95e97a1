import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CallMatch, Observer, seededRandom } from '@terrain/runtime/testing';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { createMachine, machine, phase, remove } from './vm-world.ts';

/** Every kind of write a machine's life has, from its image to its end. */
const writes: Record<string, CallMatch> = {
  'the image is made': { verb: 'create', resource: 'vmdiskimages' },
  'the root disk is made': { verb: 'create', resource: 'datavolumes' },
  'the configuration is made': { verb: 'create', resource: 'secrets' },
  'KubeVirt’s machine is made': { verb: 'create', resource: 'virtualmachines' },
  'the status is written': { verb: 'patch', resource: 'virtualmachines', group: 'pelotech.ot', subresource: 'status' },
  'KubeVirt’s machine is deleted': { verb: 'delete', resource: 'virtualmachines' },
  'the configuration is deleted': { verb: 'delete', resource: 'secrets' },
  'the root disk is deleted': { verb: 'delete', resource: 'datavolumes' },
  'the finalizer is removed': { verb: 'patch', resource: 'virtualmachines', group: 'pelotech.ot', subresource: '' },
};
const moments = ['before', 'applied'] as const;
const all = Object.entries(writes).flatMap(([what, match]) => moments.map((when) => ({ what, match, when })));

/** All of them on request; otherwise five, others in each run. `FAULT_SEED` repeats a run. */
function chosen(t: TestContext): typeof all {
  if (process.env.TERRAIN_FAULTS === 'all') return all;
  const seed = Number(process.env.FAULT_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  t.diagnostic(`5 of ${all.length}, FAULT_SEED=${seed}`);
  const random = seededRandom(seed);
  return all
    .map((crash) => ({ crash, lot: random() }))
    .sort((a, b) => a.lot - b.lot)
    .slice(0, 5)
    .map(({ crash }) => crash);
}

test('an operator that dies at a write: the next one comes to the same end, and nothing is made twice', async (t) => {
  await using stage = await Stage.open({ policy: { templateImageTTL: '24h' } });
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  await stage.stopOperators();
  const kinds = [types.kubevirtMachines, types.secrets, types.dataVolumes, types.images];
  for (const [index, { what, match, when }] of chosen(t).entries()) {
    await t.test(`${when === 'before' ? 'before' : 'just after'} ${what}`, async () => {
      const name = `m${index}`;
      let deaths = 0;
      const proxy = await stage.proxy(
        { rules: [{ on: 'request', match, nth: 1, do: { fault: 'kill-client', when } }] },
        async () => {
          deaths++;
          await stage.stopOperators();
          await stage.startOperator();
        },
      );
      await stage.startOperator({ through: proxy.credentials });
      const observer = await Observer.start({ connection: stage.connection, kinds, invariants: {} });
      try {
        const vmDiskImageTemplate = { sourceType: 'blank', diskSize: '1Gi' } as const;
        const isImage = match.resource === 'vmdiskimages';
        await createMachine(stage, name, isImage ? { vmDiskImageRef: { name, namespace: '' }, vmDiskImageTemplate } : {});
        await phase(stage, name, 'Ready');
        await remove(stage, types.machines, name);
        await stage.until('it to be gone', () => machine(stage, name) === undefined);
        await stage.until(`image ${isImage ? name : 'debian'} to be free`, () => {
          const { references, unreferencedSince } = stage.image(isImage ? name : 'debian')?.status ?? {};
          return references === 0 && unreferencedSince !== undefined;
        });
        await observer.caughtUp();
        const made = observer.history
          .filter(({ type, object }) => type === 'ADDED' && object.metadata.namespace === stage.namespace)
          .map(({ object, resource }) => `${resource.plural} ${object.metadata.labels?.['pelotech.ot/virtualmachine'] ?? ''}`)
          .filter((line) => line.endsWith(` ${name}`))
          .sort();
        assert.deepEqual(made, [`datavolumes ${name}`, `secrets ${name}`, `virtualmachines ${name}`]);
        assert.equal(deaths, 1);
      } finally {
        await observer.close();
        await stage.stopOperators();
      }
    });
  }
});
