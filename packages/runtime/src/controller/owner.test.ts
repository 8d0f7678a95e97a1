import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Informer } from '#informer/informer.ts';
import type { KubeObject, OwnerReference } from '#transport/kube-object.ts';
import { ownerKeys } from './owner.ts';

const owned = (references: Partial<OwnerReference>[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'child',
    namespace: 'ns',
    ownerReferences: references.map((reference) => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      name: 'a',
      uid: 'u',
      ...reference,
    })),
  },
});
const owners = (
  kind: string | undefined,
  namespaced = true,
  metadataOnly = false,
  named: { kind?: string } = {},
): Informer<KubeObject> =>
  ({
    type: { group: 'example.com', version: 'v1', plural: 'things', namespaced, ...named },
    scope: { metadataOnly },
    store: { values: () => (kind === undefined ? [] : [{ apiVersion: 'example.com/v1', kind, metadata: {} }]) },
  }) as unknown as Informer<KubeObject>;

const cases: Record<string, { references: Partial<OwnerReference>[]; informer: Informer<KubeObject>; want: string[] }> = {
  'the controller of the right kind': { references: [{ controller: true }], informer: owners('Thing'), want: ['ns/a'] },
  'an owner that is cluster-scoped': { references: [{ controller: true }], informer: owners('Thing', false), want: ['a'] },
  'an owner that does not control': { references: [{}], informer: owners('Thing'), want: [] },
  'a controller among other owners': {
    references: [{ name: 'b' }, { name: 'c', controller: true }],
    informer: owners('Thing'),
    want: ['ns/c'],
  },
  'another kind of the same group': { references: [{ controller: true, kind: 'Other' }], informer: owners('Thing'), want: [] },
  'another group': { references: [{ controller: true, apiVersion: 'v1' }], informer: owners('Thing'), want: [] },
  'another version of the group': {
    references: [{ controller: true, apiVersion: 'example.com/v2' }],
    informer: owners('Thing'),
    want: ['ns/a'],
  },
  'no owner known yet': { references: [{ controller: true }], informer: owners(undefined), want: ['ns/a'] },
  'no owner known yet, of a kind that has a name': {
    references: [{ controller: true, kind: 'Other' }],
    informer: owners(undefined, true, false, { kind: 'Thing' }),
    want: [],
  },
  'owners known by metadata only': {
    references: [{ controller: true }],
    informer: owners('PartialObjectMetadata', true, true),
    want: ['ns/a'],
  },
  'no owner at all': { references: [], informer: owners('Thing'), want: [] },
};
for (const [name, { references, informer, want }] of Object.entries(cases)) {
  test(`the owner of a child: ${name}`, () => assert.deepEqual(ownerKeys(owned(references), informer), want));
}
