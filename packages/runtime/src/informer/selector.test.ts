import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFieldSelector, parseLabelSelector } from './selector.ts';

const labels = { app: 'web', tier: 'front', empty: '' };
const labelCases: Record<string, boolean> = {
  '': true,
  'app=web': true,
  'app==web': true,
  'app = web , tier = front': true,
  'app=api': false,
  'app!=api': true,
  'app!=web': false,
  'missing!=x': true,
  'missing=x': false,
  'missing=': false,
  'empty=': true,
  app: true,
  missing: false,
  '!missing': true,
  '!app': false,
  'app in (api, web)': true,
  'app in (api)': false,
  'app notin (api)': true,
  'app notin (web)': false,
  'missing notin (a)': true,
  'missing in (a)': false,
  'app in (web),tier notin (back,middle),empty': true,
  'app.kubernetes.io/name=x': false,
};
for (const [selector, want] of Object.entries(labelCases)) {
  test(`the label selector "${selector}" ${want ? 'matches' : 'does not match'}`, () => {
    assert.equal(parseLabelSelector(selector)(labels), want);
  });
}

test('what is no selector is named', () => {
  assert.throws(() => parseLabelSelector('a=b,c d'), /"c d" is no label selector/);
  assert.throws(() => parseFieldSelector('name'), /"name" is no field selector/);
});

const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'ns' }, spec: { nodeName: 'n1' } };
const fieldCases: Record<string, boolean> = {
  'metadata.name=a': true,
  'metadata.name=b': false,
  'metadata.namespace==ns,spec.nodeName!=n2': true,
  'spec.nodeName!=n1': false,
  'status.phase=': true,
};
for (const [selector, want] of Object.entries(fieldCases)) {
  test(`the field selector "${selector}" ${want ? 'matches' : 'does not match'}`, () => {
    assert.equal(parseFieldSelector(selector)(object), want);
  });
}
