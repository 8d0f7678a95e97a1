import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sources } from '@terrain/embedded';
import type { KubeObject } from '@terrain/runtime';
import { readManifests } from './manifest-file.ts';
import { classesOf, containerImagesOf, forRealNode, sourcesOf } from './real-examples.ts';
import { examplesDirectory } from './start.ts';

const examples = readManifests(examplesDirectory);
const checksum = 'a'.repeat(64);
const cirros = 'http://disks.sources/download.cirros-cloud.net/0.4.0/cirros-0.4.0-x86_64-disk.img';
const sources: Sources = { keys: { accessKeyId: 'id', secretKey: 'key' }, sha256: new Map([[cirros, checksum]]) };
const real = forRealNode(examples, sources);
const find = (kind: string, name: string) =>
  real.find((object) => object.kind === kind && object.metadata.name === name) as KubeObject & {
    readonly spec?: object;
    readonly stringData?: object;
  };

test('no example on a real node downloads from a public host, and what it downloads is served', () => {
  const urls = [...JSON.stringify(real).matchAll(/"(?:url|imageUrlTemplate)":"([^"]+)"/g)].map(([, url]) => url!);
  assert.ok(urls.length >= 12, urls.join(' '));
  assert.deepEqual(
    urls.filter((url) => !/^(http|docker):\/\/(disks|us-gov-west-1|registry)\.sources(:5000)?\//.test(url)),
    [],
  );
  const served = new Set(sourcesOf(examples).map(({ path }) => path));
  const paths = urls.map((url) => url.replace(/^\w+:\/\/[^/]+\//, '')).filter((path) => !path.includes('{'));
  assert.deepEqual(
    paths.filter((path) => !served.has(path)),
    [],
  );
});

test('the path tells the host that the example names; a bucket stays a bucket; the policy names a disk as well', () => {
  const paths = sourcesOf(examples).map(({ kind, path }) => `${kind} ${path}`);
  for (const path of [
    'http images.example.com/lab-7/1.4.0/target.qcow2',
    's3 uki-lrn-vm-images/images/lab-151/1.0.0/attacker.qcow2',
    's3 vm-images/images/demo-vm/2.1.0/vm.qcow2',
    'registry quay.io/containerdisks/debian:12',
  ])
    assert.ok(paths.includes(path), `${path} in ${paths.join(', ')}`);
  assert.equal(new Set(paths).size, paths.length, 'each once');
});

test('a checksum is that of what is served, keys are those of the server, classes are of our driver and no default', () => {
  assert.deepEqual(find('VMDiskImage', 'cirros').spec, {
    ...(examples.find(({ metadata }) => metadata.name === 'cirros') as unknown as { spec: object }).spec,
    url: cirros,
    checksum: `sha256:${checksum}`,
  });
  assert.deepEqual(find('Secret', 'foo-bar').stringData, sources.keys);
  assert.equal('accessKeyId' in find('Secret', 'registry-credentials').stringData!, false);
  for (const [kind, field] of [
    ['StorageClass', 'provisioner'],
    ['VolumeSnapshotClass', 'driver'],
  ] as const) {
    const found = real.find((object) => object.kind === kind) as KubeObject & Record<string, unknown>;
    assert.deepEqual([found[field], found.metadata.annotations, found.parameters], ['csi.terrain.dev', undefined, undefined]);
  }
  assert.deepEqual(classesOf(examples), [find('StorageClass', 'gp3')]);
});

test('what is neither downloaded nor stored stays word for word', () => {
  const untouched = examples.filter(({ kind }) =>
    ['Namespace', 'NetworkAttachmentDefinition', 'WorkspaceTemplate', 'WorkspaceInstance'].includes(kind),
  );
  assert.ok(untouched.length > 5);
  for (const example of untouched) assert.deepEqual(find(example.kind, example.metadata.name!), example);
});

test('every image of a container is found', () => {
  assert.deepEqual(containerImagesOf(examples), [
    'ghcr.io/demo/demo-containers/demo-app:1.0.2',
    'ghcr.io/demo/demo-containers/ansible:2.5.14',
    'registry.example.com/shop/web:1.4',
  ]);
});
