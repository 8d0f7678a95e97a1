import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleLab, type InvalidLab, invalidLabs, labClusterRanges } from '@terrain/api/testing';
import { ApiError } from '@terrain/runtime';
import { types } from './types.ts';
import { conditionOf, WorkspaceWorld, workspaces } from './workspace-world.ts';

const nameOf = (index: number): string => `wrong-${index}`;

test('labs that cannot work are told all that is wrong with them, and nothing is made for them', async () => {
  await using world = await WorkspaceWorld.open({ operator: { clusterRanges: labClusterRanges } });
  const { stage } = world;
  const judged: InvalidLab[] = [];
  await Promise.all(
    invalidLabs.map(async (lab, index) => {
      const isStored = await world.create(nameOf(index), lab.spec).then(() => true, isRefused);
      if (!isStored) return;
      judged.push(lab);
      const invalid = await world.reason(nameOf(index), 'Valid', 'Invalid');
      assert.equal(conditionOf(invalid, 'Valid')?.message, lab.want.join('; '), lab.name);
      assert.equal(invalid.status?.phase, 'Failed', lab.name);
      assert.equal(conditionOf(invalid, 'Stalled')?.status, 'True', lab.name);
    }),
  );
  // What a schema can see, the API server refuses by itself.
  assert.ok(judged.length >= 40, `only ${judged.length} of ${invalidLabs.length} were stored`);
  assert.ok(judged.some(({ want }) => want.length > 1));
  const namespaces = [...stage.informers.get(types.namespaces).store.values()].map(({ metadata }) => metadata.name ?? '');
  assert.deepEqual(
    namespaces.filter((name) => name.startsWith('workspace-')),
    [],
  );
  assert.deepEqual(stage.images(), []);

  const index = invalidLabs.findIndex(({ name }) => name === 'a network inside the range of pods');
  await stage.resource(workspaces).mergePatch({ name: nameOf(index) }, { spec: exampleLab });
  await world.reason(nameOf(index), 'Valid', 'Valid');
  await world.until('its images', () => stage.images().length === 2);
});

function isRefused(error: unknown): false {
  if (error instanceof ApiError && error.code === 422) return false;
  throw error;
}
