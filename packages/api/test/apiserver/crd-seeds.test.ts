import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { kinds } from '@terrain/api';
import { applyManifests, type KubeObject, nameOf } from '@terrain/runtime';
import { parseAllDocuments } from 'yaml';
import { crdCluster, definitionOf, pathOf } from './crd-cluster.ts';

const root = join(import.meta.dirname, '../../../..');

function manifestsIn(folder: string): { file: string; object: KubeObject }[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8');
      return parseAllDocuments(text).map((document) => ({ file: `${folder}/${name}`, object: document.toJS() as KubeObject }));
    });
}

const seeds = manifestsIn('examples/seeds');
const isOurs = ({ object }: { object: KubeObject }): boolean =>
  kinds.some(({ group, version, kind }) => object.apiVersion === `${group}/${version}` && object.kind === kind);

describe('the manifests of the proposals', () => {
  before(async () => {
    const { connection } = await crdCluster();
    const namespaces = seeds.map(({ object }) => object).filter(({ kind }) => kind === 'Namespace');
    await applyManifests(connection, namespaces, { fieldManager: 'test' });
  });

  for (const { file, object } of seeds.filter(isOurs)) {
    test(`${file}: ${nameOf(object)} is accepted as it is, and nothing in it is lost`, async () => {
      const { connection } = await crdCluster();
      const isNamespaced = definitionOf(object).scope === 'Namespaced';
      const body = isNamespaced ? { ...object, metadata: { namespace: 'default', ...object.metadata } } : object;
      const accepted = await connection.request<KubeObject & { spec: object }>({
        method: 'POST',
        path: pathOf(body, 'collection'),
        query: { dryRun: 'All', fieldValidation: 'Strict' },
        body,
      });
      assertKept((object as KubeObject & { spec: object }).spec, accepted.spec, 'spec');
    });
  }

  test('there is at least one of every kind', () => {
    const seen = new Set(seeds.filter(isOurs).map(({ object }) => object.kind));
    assert.deepEqual([...seen].sort(), kinds.map(({ kind }) => kind).sort());
  });
});

/** Defaults may be added; whatever was written is still there. */
function assertKept(written: unknown, stored: unknown, path: string): void {
  if (typeof written !== 'object' || written === null) {
    assert.deepEqual(stored, written, path);
    return;
  }
  for (const [key, value] of Object.entries(written)) {
    assertKept(value, (stored as Record<string, unknown>)?.[key], `${path}.${key}`);
  }
}
