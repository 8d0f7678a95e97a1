/** What objects say where no operator runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnseen, unseenStatus } from '@terrain/api';
import {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
} from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import { crdCluster, definitionOf, pathOf, placed } from './crd-cluster.ts';

interface Spoken extends KubeObject {
  readonly status?: { readonly observedGeneration?: number };
}

for (const builder of [aVMDiskImage, aDataSync, aVirtualMachine, aWorkspace, aWorkspaceTemplate, aWorkspaceInstance]) {
  const named = builder({ metadata: { name: 'unseen' } });
  test(`a ${named.kind} says that nobody has looked at it, until somebody does`, async () => {
    const { connection, namespace } = await crdCluster();
    const body = placed<Spoken>(named, namespace);
    await connection.request({ method: 'POST', path: pathOf(body, 'collection'), body });
    const path = pathOf(body, 'object');
    const unseen = await connection.request<Spoken>({ method: 'GET', path });
    assert.deepEqual(unseen.status, unseenStatus);
    assert.equal(isUnseen(unseen), true);
    const [ready] = unseenStatus.conditions;
    assert.ok(definitionOf(body).conditions.some(({ name }) => name === ready?.type));
    assert.ok(definitionOf(body).reasons.some(({ name }) => name === ready?.reason));

    const { apiVersion, kind, metadata } = body;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const status = {
      observedGeneration: 1,
      message: 'it is looked at',
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Progressing',
          message: 'it is looked at',
          lastTransitionTime,
          observedGeneration: 1,
        },
      ],
    };
    const seen = await connection.request<Spoken>({
      method: 'PATCH',
      path: `${path}/status`,
      query: { fieldManager: 'test' },
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion, kind, metadata, status },
    });
    assert.deepEqual(seen.status, status, 'and nothing is left of it');
    assert.equal(isUnseen(seen), false);
  });
}

test('kubectl shows the sentence', async () => {
  const { connection, namespace } = await crdCluster();
  const body = placed(aVirtualMachine({ metadata: { name: 'shown' } }), namespace);
  await connection.request({ method: 'POST', path: pathOf(body, 'collection'), body });
  const { rows } = await connection.request<{ readonly rows: readonly { readonly cells: readonly unknown[] }[] }>({
    method: 'GET',
    path: pathOf(body, 'object'),
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  assert.equal(rows[0]?.cells.at(-1), unseenStatus.message);
});
