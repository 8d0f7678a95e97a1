/** The files under examples/ are what newcomers apply first: they must parse, be valid, and find what they refer to. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { annotations } from '#common/keys.ts';
import { kinds } from '#kinds.ts';
import type { VirtualMachine } from '#virtualmachine/schema.ts';
import type { VMDiskImage } from '#vmdiskimage/schema.ts';
import type { WorkspaceInstance } from '#workspaceinstance/schema.ts';
import type { WorkspaceTemplate } from '#workspacetemplate/schema.ts';
import { validateManifest } from './validate.ts';

type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
};

const root = join(import.meta.dirname, '../../../../examples');
const read = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(root, file), 'utf8')).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS() as Manifest;
  });
const files = globSync('**/*.yaml', { cwd: root }).sort();
const ours = new Set(kinds.map(({ group, version, kind }) => `${group}/${version} ${kind}`));
const isOurs = ({ apiVersion, kind }: Manifest): boolean => ours.has(`${apiVersion} ${kind}`);

for (const file of files) {
  test(`examples/${file} parses, and what is ours in it is valid`, () => {
    const manifests = read(file);
    assert.ok(manifests.length > 0);
    for (const manifest of manifests) {
      assert.ok(manifest.apiVersion && manifest.kind && manifest.metadata.name, file);
      if (isOurs(manifest)) assert.deepEqual(validateManifest(manifest), [], `${manifest.kind} ${manifest.metadata.name}`);
    }
  });
}

const seedFiles = files.filter((file) => file.startsWith('seeds'));
const seeds = seedFiles.flatMap(read);

test('the prerequisites are applied first, and the seeds cover every kind', () => {
  assert.equal(seedFiles[0], join('seeds', '00-prerequisites.yaml'));
  const covered = new Set(seeds.filter(isOurs).map(({ kind }) => kind));
  assert.deepEqual([...covered].sort(), kinds.map(({ kind }) => kind).sort());
});

test('no example carries a status', () => {
  for (const file of files) for (const manifest of read(file)) assert.equal('status' in manifest, false, file);
});

const exists = (kind: string, name: string, namespace?: string): boolean =>
  seeds.some((other) => other.kind === kind && other.metadata.name === name && other.metadata.namespace === namespace);

const one = <T>(kind: string): T => (seeds.find((manifest) => manifest.kind === kind) ?? assert.fail(`no ${kind}`)) as T;

test('the seeds find the namespaces, classes, Secrets and networks they refer to', () => {
  for (const { metadata } of seeds) {
    if (metadata.namespace !== undefined) assert.ok(exists('Namespace', metadata.namespace), metadata.namespace);
  }
  const image = one<VMDiskImage>('VMDiskImage');
  const machine = one<VirtualMachine>('VirtualMachine');
  const policy = one<{ data: Record<string, string> }>('ConfigMap').data;
  assert.match(policy.imageUrlTemplate ?? '', /\{name\}/);
  const sources = [
    { ...image.spec, namespace: image.metadata.namespace },
    { ...machine.spec.vmDiskImageTemplate, namespace: machine.spec.vmDiskImageRef.namespace },
    {
      secretRef: policy.imageSecretRef,
      storageClass: policy.imageStorageClass,
      snapshotClass: policy.imageSnapshotClass,
      namespace: 'vmdi-farm',
    },
  ];
  for (const { secretRef = '', storageClass = '', snapshotClass = '', namespace } of sources) {
    assert.ok(exists('Secret', secretRef, namespace), `${namespace}/${secretRef}`);
    assert.ok(exists('StorageClass', storageClass), storageClass);
    assert.ok(exists('VolumeSnapshotClass', snapshotClass), snapshotClass);
  }
  for (const { network } of machine.spec.interfaces ?? []) {
    assert.ok(exists('NetworkAttachmentDefinition', network, machine.metadata.namespace), network);
  }
  for (const { name } of one<WorkspaceTemplate>('WorkspaceTemplate').spec.imagePullSecrets ?? []) {
    assert.ok(exists('Secret', name, 'sync-operator'), name);
  }
  assert.ok(exists('WorkspaceTemplate', one<WorkspaceInstance>('WorkspaceInstance').spec.templateRef.name));
});

test('the networks of the seeds say what guests need to know, on a bridge Linux can name', () => {
  const networks = seeds.filter(({ kind }) => kind === 'NetworkAttachmentDefinition');
  assert.equal(networks.length, 3);
  for (const { metadata, spec } of networks) {
    assert.ok(JSON.parse(metadata.annotations?.[annotations.network] ?? '').cidr, metadata.name);
    const { bridge, type } = JSON.parse(String(spec?.config));
    assert.equal(type, 'bridge');
    assert.ok(bridge.length <= 15, bridge);
  }
});
