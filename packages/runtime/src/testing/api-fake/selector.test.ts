import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredObject } from './kind.ts';
import { servedKind } from './kinds.ts';
import { selectorOf } from './selector.ts';

const kind = servedKind({
  type: { group: '', version: 'v1', plural: 'pods', namespaced: true },
  kind: 'Pod',
  selectableFields: ['spec.nodeName'],
});
const pod: StoredObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'lab', labels: { 'app.kubernetes.io/name': 'web', tier: '' } },
  spec: { nodeName: 'node-1' },
};
const matches = (query: Record<string, string>): boolean =>
  selectorOf(kind, new URLSearchParams(query), undefined, undefined)(pod);

const cases: Record<string, boolean> = {
  'labelSelector=app.kubernetes.io/name=web': true,
  'labelSelector=app.kubernetes.io/name!=web': false,
  'labelSelector=missing!=web': true,
  'labelSelector=tier=': true,
  'labelSelector=app.kubernetes.io/name in (db, web)': true,
  'labelSelector=app.kubernetes.io/name notin (db,web)': false,
  'labelSelector=missing notin (db)': true,
  'labelSelector=missing in (db)': false,
  'labelSelector=tier,!missing': true,
  'labelSelector=!tier': false,
  'fieldSelector=metadata.name=a,metadata.namespace=lab': true,
  'fieldSelector=metadata.name!=a': false,
  'fieldSelector=spec.nodeName=node-1': true,
  'fieldSelector=spec.nodeName=': false,
};
for (const [query, want] of Object.entries(cases)) {
  test(`${query} ${want ? 'selects' : 'does not select'}`, () => {
    const [name, ...value] = query.split('=');
    assert.equal(matches({ [name!]: value.join('=') }), want);
  });
}

for (const labelSelector of ['tier in', 'tier in web', '=web', 'a b']) {
  test(`"${labelSelector}" is no label selector`, () => {
    assert.throws(() => matches({ labelSelector }), /unable to parse requirement/);
  });
}

test('a field that is not declared selectable is refused', () => {
  assert.throws(() => matches({ fieldSelector: 'spec.hostname=x' }), /field label not supported: spec\.hostname/);
});
