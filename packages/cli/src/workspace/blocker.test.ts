import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenStatus, type Workspace } from '@terrain/api';
import { object, time, workspace } from '../testing/workspace.ts';
import { blockersOf } from './blocker.ts';

const held = (name: string) =>
  object('Pod', name, { metadata: { name, deletionTimestamp: time, finalizers: ['example.com/hold'] } });
const deleting = (change: object = {}): Workspace =>
  workspace({ metadata: { deletionTimestamp: time, finalizers: ['pelotech.ot/cleanup'] }, ...change });
const namespace = object('Namespace', 'workspace-lab-7');

const blockers: Record<string, { given: Parameters<typeof blockersOf>[0]; want: string }> = {
  'an object with a foreign finalizer': {
    given: { workspace: deleting({ status: { message: 'removes machines' } }), namespace, objects: [held('web')] },
    want: 'Pod web is held by finalizer example.com/hold',
  },
  'many objects': {
    given: { workspace: undefined, namespace, objects: ['a', 'b', 'c', 'd', 'e'].map(held) },
    want: 'Pod a is held by finalizer example.com/hold; Pod b is held by finalizer example.com/hold; Pod c is held by finalizer example.com/hold; and 2 more',
  },
  'a foreign finalizer on the workspace': {
    given: {
      workspace: deleting({ metadata: { finalizers: ['pelotech.ot/cleanup', 'example.com/x'] } }),
      namespace,
      objects: [],
    },
    want: 'the workspace is held by finalizer example.com/x',
  },
  'what the operator says': {
    given: {
      workspace: deleting({ status: { message: 'removes machines', observedGeneration: 1 } }),
      namespace,
      objects: [],
    },
    want: 'removes machines',
  },
  'an operator that does not act': {
    given: { workspace: deleting({ status: unseenStatus }), namespace, objects: [] },
    want: 'the operator has not removed its finalizer pelotech.ot/cleanup yet; if this lasts, look whether it runs',
  },
  'a namespace that nobody deletes': {
    given: { workspace: undefined, namespace, objects: [] },
    want: 'namespace workspace-lab-7 is still there, and nobody deletes it; if this lasts, look whether the operator runs',
  },
  'what the namespace says': {
    given: {
      workspace: undefined,
      namespace: {
        ...namespace,
        metadata: { ...namespace.metadata, deletionTimestamp: time },
        status: { conditions: [{ type: 'NamespaceContentRemaining', status: 'True', message: 'pods. has 1' }] },
      },
      objects: [],
    },
    want: 'namespace workspace-lab-7 is ending: pods. has 1',
  },
};
for (const [name, { given, want }] of Object.entries(blockers))
  test(`what blocks a deletion: ${name}`, () => assert.equal(blockersOf(given), want));
