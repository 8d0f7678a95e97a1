import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cdiDefinitions, checkCounts, definitionFrom } from './extract.ts';

const text = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  creationTimestamp: null
  name: datavolumes.cdi.kubevirt.io
spec:
  group: cdi.kubevirt.io
  names: {kind: DataVolume, plural: datavolumes}
  versions: [{name: v1beta1, served: true, storage: true}]
status:
  conditions: []
`;

const want = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'datavolumes.cdi.kubevirt.io' },
  spec: {
    group: 'cdi.kubevirt.io',
    names: { kind: 'DataVolume', plural: 'datavolumes' },
    versions: [{ name: 'v1beta1', served: true, storage: true }],
  },
};

test('what only a server may write is dropped', () => assert.deepEqual(definitionFrom(text), want));

test('definitions are taken out of generated Go', () => {
  assert.deepEqual(cdiDefinitions(`var M = map[string]string{\n\t"datavolume": \`${text}\`,\n}\n`), [want]);
});

test('another kind in the place of a definition is refused', () => {
  assert.throws(() => definitionFrom('kind: Namespace\n'), { code: 'UpstreamChanged' });
  assert.throws(() => definitionFrom('just text'), { code: 'UpstreamChanged' });
});

test('one definition more or less than known is refused', () => {
  const found = { cdi: Array(12), kubevirt: Array(20), snapshot: Array(6), network: Array(1) };
  checkCounts(found);
  assert.throws(() => checkCounts({ ...found, cdi: Array(11) }), {
    code: 'UpstreamChanged',
    message: /Found 11 resource definitions of cdi instead of 12/,
  });
});
