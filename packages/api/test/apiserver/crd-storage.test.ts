/** How objects are kept: what is dropped, what is apart, who owns what, how they are listed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, unseenStatus } from '@terrain/api';
import { aVirtualMachine, aVMDiskImage, aWorkspace } from '@terrain/api/testing';
import { type Changes, withChanges } from './crd-change.ts';
import { crdCluster, judge, pathOf, placed } from './crd-cluster.ts';

test('fields nobody knows are dropped, but not the variables of a role', async () => {
  const variables = { enable_nat: true, nested: { list: [1, 'two'] } };
  const given = withChanges(aWorkspace(), {
    'spec.privileged': true,
    'spec.vms[0].hostPath': '/etc',
    'spec.vms[0].ansible': { roles: { build: [{ role: 'linuxRouter', variables }] } },
  });
  const { spec } = (await judge(given)) as typeof given;
  assert.deepEqual(spec.vms?.[0]?.ansible?.roles?.build, [{ role: 'linuxRouter', variables }]);
  assert.equal('privileged' in spec, false);
  assert.equal('hostPath' in spec.vms![0]!, false);
});

test('status is written apart from spec, and neither through the other', async () => {
  const { connection, namespace } = await crdCluster();
  const created = await connection.request<ReturnType<typeof aVMDiskImage>>({
    method: 'POST',
    path: pathOf(placed(aVMDiskImage(), namespace), 'collection'),
    body: placed(aVMDiskImage({ metadata: { name: 'with-status' }, status: { phase: 'Succeeded' } }), namespace),
  });
  assert.deepEqual(created.status, unseenStatus);
  const written = await connection.request<typeof created>({
    method: 'PUT',
    path: `${pathOf(created, 'object')}/status`,
    body: {
      ...created,
      spec: { ...created.spec, diskSize: '1Gi' },
      status: { phase: 'Syncing', progress: '42%', observedGeneration: 1 },
    },
  });
  assert.deepEqual(written.status, { phase: 'Syncing', progress: '42%', observedGeneration: 1 });
  assert.deepEqual(written.spec, created.spec);
  assert.equal(written.metadata.generation, created.metadata.generation);
});

test('two writers can each own some of the named items of a list', async () => {
  const { connection, namespace } = await crdCluster();
  const apply = (fieldManager: string, change: Changes) => {
    const body = placed(withChanges(aVirtualMachine({ metadata: { name: 'shared' } }), change), namespace);
    return connection.request<ReturnType<typeof aVirtualMachine>>({
      method: 'PATCH',
      path: pathOf(body, 'object'),
      query: { fieldManager },
      contentType: 'application/apply-patch+yaml',
      body,
    });
  };
  await apply('first', { 'spec.interfaces': [{ network: 'lan' }] });
  const { spec } = await apply('second', { 'spec.interfaces': [{ network: 'wan' }] });
  assert.deepEqual(spec.interfaces, [{ network: 'lan' }, { network: 'wan' }]);
});

const columns: Record<string, readonly string[]> = {
  VMDiskImage: ['Name', 'Phase', 'Progress', 'Refs', 'Age', 'Message'],
  DataSync: ['Name', 'Phase', 'Workspace', 'Synced', 'Total', 'Age', 'Message'],
  VirtualMachine: ['Name', 'Phase', 'State', 'Address', 'Age', 'Message'],
  Workspace: ['Name', 'Phase', 'Ready', 'Namespace', 'Age', 'Message'],
  WorkspaceTemplate: ['Name', 'Phase', 'Steps', 'Instances', 'Age', 'Message'],
  WorkspaceInstance: ['Name', 'Phase', 'Owner', 'Step', 'Expires', 'Template', 'Age', 'Message'],
};

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
}

const wanted: Record<string, { readonly shortNames: readonly string[]; readonly namespaced: boolean }> = {
  vmdiskimages: { shortNames: ['vmdi'], namespaced: true },
  datasyncs: { shortNames: ['dsync'], namespaced: true },
  virtualmachines: { shortNames: ['otvm'], namespaced: true },
  workspaces: { shortNames: ['ws'], namespaced: false },
  workspacetemplates: { shortNames: ['wst'], namespaced: false },
  workspaceinstances: { shortNames: ['wsi'], namespaced: true },
};

for (const { kind, group, version, plural } of kinds) {
  test(`kubectl get shows a ${kind} in its columns, under its short name and with all of ours`, async () => {
    const { connection } = await crdCluster();
    const path = `/apis/${group}/${version}`;
    const table = await connection.request<Table>({
      method: 'GET',
      path: `${path}/${plural}`,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    assert.deepEqual(
      table.columnDefinitions.map(({ name }) => name),
      columns[kind],
    );
    const { resources } = await connection.request<{
      resources: { name: string; shortNames?: string[]; categories?: string[]; namespaced: boolean }[];
    }>({ method: 'GET', path });
    const found = resources.find(({ name }) => name === plural);
    assert.deepEqual({ shortNames: found?.shortNames, namespaced: found?.namespaced }, wanted[plural]);
    assert.deepEqual(found?.categories, ['terrain']);
    assert.ok(resources.some(({ name }) => name === `${plural}/status`));
  });
}
