import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeVirtDefinitions } from './kubevirt-crd.ts';
import { helperSchemas, kubeVirtKinds } from './kubevirt-kinds.ts';

const schema = 'openAPIV3Schema:\n  type: object\n  properties:\n    spec:\n      type: object\n';
const allSchemas = () => new Map([...Object.keys(kubeVirtKinds), ...helperSchemas].map((name) => [name, schema]));
const definitionOf = (name: string) => kubeVirtDefinitions(allSchemas()).find((definition) => definition.metadata.name === name);
const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object' } } };

test('twenty kinds become twenty definitions, with one stored version each', () => {
  const definitions = kubeVirtDefinitions(allSchemas());
  assert.equal(definitions.length, 20);
  for (const { metadata, spec } of definitions) {
    assert.equal(metadata.name, `${spec.names.plural}.${spec.group}`);
    assert.equal(spec.versions.filter(({ storage }) => storage).length, 1, metadata.name);
  }
});

test('the machine has a status subresource and is stored as v1', () => {
  const columns = [
    { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
    { name: 'Status', jsonPath: '.status.printableStatus', type: 'string' },
    { name: 'Ready', jsonPath: ".status.conditions[?(@.type=='Ready')].status", type: 'string' },
  ];
  const common = { served: true, schema: { openAPIV3Schema }, subresources: { status: {} }, additionalPrinterColumns: columns };
  assert.deepEqual(definitionOf('virtualmachines.kubevirt.io'), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'virtualmachines.kubevirt.io', labels: { 'kubevirt.io': '' } },
    spec: {
      group: 'kubevirt.io',
      scope: 'Namespaced',
      names: {
        plural: 'virtualmachines',
        singular: 'virtualmachine',
        kind: 'VirtualMachine',
        listKind: 'VirtualMachineList',
        shortNames: ['vm', 'vms'],
        categories: ['all'],
      },
      versions: [
        { name: 'v1', storage: true, ...common },
        { name: 'v1alpha3', storage: false, ...common },
      ],
    },
  });
});

test('the running instance has no subresource, so its status is written with the object', () => {
  const versions = definitionOf('virtualmachineinstances.kubevirt.io')?.spec.versions ?? [];
  assert.equal(versions.length, 2);
  assert.ok(versions.every((version) => !('subresources' in version)));
});

test('an irregular plural, a group of its own and the scope of the cluster are kept', () => {
  const { spec } = definitionOf('migrationpolicies.migrations.kubevirt.io') as unknown as {
    spec: { scope: string; names: object };
  };
  assert.equal(spec.scope, 'Cluster');
  assert.ok(!('categories' in spec.names));
});

test('schemas of another version are refused by name', () => {
  const schemas = allSchemas();
  schemas.delete('virtualmachine');
  schemas.set('virtualtoaster', schema);
  assert.throws(() => kubeVirtDefinitions(schemas), {
    code: 'UpstreamChanged',
    message: /unknown: virtualtoaster; missing: virtualmachine\)/,
  });
});
