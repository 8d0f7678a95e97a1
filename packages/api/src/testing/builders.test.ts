import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortUid } from '#naming/identity.ts';
import { aVirtualMachine, aVMDiskImage, aWorkspace, stored, uidOf } from './builders.ts';
import { override } from './override.ts';

test('a built object has what the test says, and the rest of the least valid object', () => {
  const vm = aVirtualMachine({ metadata: { name: 'db' }, spec: { resources: { cpu: '4' } } });
  assert.deepEqual(vm.metadata, { name: 'db', namespace: 'lab-7' });
  assert.deepEqual(vm.spec.resources, { cpu: '4', memory: '1Gi' });
});

test('a list is replaced as a whole', () => {
  assert.deepEqual(aWorkspace({ spec: { networks: [] } }).spec.networks, []);
});

test('undefined removes a field, at any depth', () => {
  const image = aVMDiskImage({ metadata: { namespace: undefined }, spec: { url: undefined, sourceType: 'blank' } });
  assert.deepEqual(Object.keys(image.metadata), ['name']);
  assert.equal('url' in image.spec, false);
});

test('a nested object that was absent is added', () => {
  const image = aVMDiskImage({ status: { attempt: { number: 2 } } });
  assert.deepEqual(image.status, { attempt: { number: 2 } });
});

test('built objects share nothing with each other or with what they were made from', () => {
  const interfaces = [{ network: 'lan' }];
  const first = aWorkspace({ metadata: { labels: { a: '1' } } });
  const second = override(first, { spec: { vms: [{ ...first.spec.vms![0]!, interfaces }] } });
  second.metadata.labels!.a = '2';
  interfaces[0]!.network = 'changed';
  first.spec.networks![0]!.name = 'changed';
  assert.equal(first.metadata.labels?.a, '1');
  assert.equal(second.spec.vms?.[0]?.interfaces?.[0]?.network, 'lan');
  assert.equal(aWorkspace().spec.networks?.[0]?.name, 'lan');
});

test('a stored object has what the API server sets, and keeps what the test set', () => {
  const image = stored(aVMDiskImage({ metadata: { generation: 3 } }));
  assert.match(image.metadata.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(shortUid(image.metadata.uid), image.metadata.uid.slice(0, 8));
  assert.equal(image.metadata.generation, 3);
  assert.equal(image.metadata.resourceVersion, '1');
});

test('objects of different kind, namespace or name have different UIDs', () => {
  const objects = [
    aVMDiskImage(),
    aVMDiskImage({ metadata: { name: 'other' } }),
    aVMDiskImage({ metadata: { namespace: 'other' } }),
    aWorkspace({ metadata: { name: 'debian', namespace: 'vmdi-farm' } }),
  ];
  assert.equal(new Set(objects.map(uidOf)).size, objects.length);
});
