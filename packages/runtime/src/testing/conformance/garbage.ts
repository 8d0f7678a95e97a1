import assert from 'node:assert/strict';
import { type ConformanceCases, eventually, ownedBy, randomName, type Sandbox } from './sandbox.ts';

const gone = (api: Sandbox, name: string): Promise<void> => eventually(`${name} is gone`, () => api.isGone(name));
const blocking = { blockOwnerDeletion: true };

export const garbageCases: ConformanceCases = {
  'dependents go with their owner': async (api) => {
    const owner = await api.create('owner');
    await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)] });
    await api.configMaps.create(api.configMap('other-kind', {}, { ownerReferences: [ownedBy(owner)] }));
    await api.delete('owner');
    await gone(api, 'child');
    await eventually('the ConfigMap is gone', async () =>
      (await api.configMaps.list({ namespace: api.namespace })).items.every(({ metadata }) => metadata.name !== 'other-kind'),
    );
  },
  'dependents of dependents go too': async (api) => {
    const owner = await api.create('owner');
    const child = await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)] });
    await api.create('grandchild', { size: 1 }, { ownerReferences: [ownedBy(child)] });
    await api.delete('owner');
    await gone(api, 'grandchild');
  },
  'a dependent with a finalizer is marked and waits': async (api) => {
    const owner = await api.create('owner');
    await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)], finalizers: ['conformance.test/hold'] });
    await api.delete('owner');
    await eventually('the child is marked', async () => (await api.get('child')).metadata.deletionTimestamp !== undefined);
    assert.ok(await api.isGone('owner'));
  },
  'in the foreground the owner waits for dependents that block it': async (api) => {
    const owner = await api.create('owner');
    await api.create(
      'child',
      { size: 1 },
      { ownerReferences: [ownedBy(owner, blocking)], finalizers: ['conformance.test/hold'] },
    );
    const marked = await api.delete('owner', { propagationPolicy: 'Foreground' });
    assert.deepEqual(marked.metadata.finalizers, ['foregroundDeletion']);
    await eventually('the child is marked', async () => (await api.get('child')).metadata.deletionTimestamp !== undefined);
    assert.equal(await api.isGone('owner'), false);
    await api.patch('child', { metadata: { finalizers: null } });
    await gone(api, 'owner');
    assert.ok(await api.isGone('child'));
  },
  'in the foreground the owner does not wait for dependents that do not block it': async (api) => {
    const owner = await api.create('owner');
    await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)], finalizers: ['conformance.test/hold'] });
    await api.delete('owner', { propagationPolicy: 'Foreground' });
    await gone(api, 'owner');
    await eventually('the child is marked', async () => (await api.get('child')).metadata.deletionTimestamp !== undefined);
  },
  'orphans stay and forget their owner': async (api) => {
    const owner = await api.create('owner');
    await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)] });
    await api.delete('owner', { propagationPolicy: 'Orphan' });
    await gone(api, 'owner');
    assert.equal((await api.get('child')).metadata.ownerReferences, undefined);
  },
  'a dependent stays while one of its owners does': async (api) => {
    const owners = [await api.create('first'), await api.create('second')];
    await api.create('child', { size: 1 }, { ownerReferences: owners.map((owner) => ownedBy(owner)) });
    await api.delete('first');
    await eventually('the reference is dropped', async () => (await api.get('child')).metadata.ownerReferences?.length === 1);
    assert.equal((await api.get('child')).metadata.ownerReferences?.[0]?.name, 'second');
    await api.delete('second');
    await gone(api, 'child');
  },
  'a dependent of an owner that never was is collected': async (api) => {
    const owner = await api.create('owner');
    const impostor = { ...ownedBy(owner), uid: '11111111-1111-1111-1111-111111111111' };
    await api.create('child', { size: 1 }, { ownerReferences: [impostor] });
    await gone(api, 'child');
    assert.equal(await api.isGone('owner'), false);
  },
  'a cluster-wide object may own namespaced ones': async (api) => {
    const name = randomName('gadget');
    const owner = await api.gadgets.create({ apiVersion: 'conformance.test/v1', kind: 'Gadget', metadata: { name } });
    await api.create('child', { size: 1 }, { ownerReferences: [ownedBy(owner)] });
    await api.create('witness');
    await api.gadgets.delete({ name });
    await gone(api, 'child');
    assert.equal(await api.isGone('witness'), false);
  },
};
