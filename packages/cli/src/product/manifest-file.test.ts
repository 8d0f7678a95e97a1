import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseManifests } from './manifest-file.ts';

test('a file may hold several objects, comments and empty documents', () => {
  const text =
    '# first\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n';
  assert.deepEqual(
    parseManifests(text, 'x.yaml').map(({ kind }) => kind),
    ['Namespace', 'Secret'],
  );
});

test('what is no object, or no YAML, is refused with the name of the file', () => {
  assert.throws(() => parseManifests('kind: Secret\n', 'x.yaml'), {
    message: 'x.yaml holds a document that is no Kubernetes object: it needs apiVersion, kind and metadata.name',
  });
  assert.throws(() => parseManifests('just words\n', 'x.yaml'), /x\.yaml holds a document that is no Kubernetes object/);
  assert.throws(() => parseManifests('a: [1\n', 'y.yaml'), /^CommandError: y\.yaml is not valid YAML: /);
});
