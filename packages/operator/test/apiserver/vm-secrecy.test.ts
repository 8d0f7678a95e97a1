import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { ApiError, Connection, createLogger, type KubeObject, Resource } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { createMachine, phase } from './vm-world.ts';

interface Group {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Every object of the cluster that can be listed, as text, by `path of the kind namespace/name`. */
async function everything({ connection }: Stage): Promise<Map<string, string>> {
  const { groups } = await connection.request<{ groups: { preferredVersion: { groupVersion: string } }[] }>({
    method: 'GET',
    path: '/apis',
  });
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const texts = new Map<string, string>();
  for (const root of roots) {
    const { resources } = await connection.request<Group>({ method: 'GET', path: root });
    for (const { name } of resources.filter(({ verbs }) => verbs.includes('list'))) {
      const { items } = await connection.request<{ items: KubeObject[] }>({ method: 'GET', path: `${root}/${name}` });
      for (const item of items)
        texts.set(`${root}/${name} ${item.metadata.namespace}/${item.metadata.name}`, JSON.stringify(item));
    }
  }
  return texts;
}

test('a password is in the object of the person who wrote it, in Secrets, and nowhere else', async () => {
  await using stage = await Stage.open();
  const lines: string[] = [];
  const log = createLogger({ level: 'trace', destination: { write: (line: string) => lines.push(line) } });
  const operator = await stage.startOperator({ log });
  await stage.createImage('debian');
  const plain = 'canary-in-the-clear';
  const kept = 'canary-in-a-secret';
  const metadata = { name: 'keys', namespace: stage.namespace };
  await stage
    .resource<KubeObject>(types.secrets)
    .create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: kept } } as KubeObject);
  const users = [
    { name: 'ada', plain_text_passwd: plain, lock_passwd: false },
    { name: 'bob', passwordSecretRef: { name: 'keys' } },
  ];
  await createMachine(stage, 'web', { users });
  // Refused in the middle of its work: what is said about that must not give anything away either.
  const foreign = { name: 'taken-cloudinit', namespace: stage.namespace };
  await stage.resource<KubeObject>(types.secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata: foreign } as KubeObject);
  await createMachine(stage, 'taken', { users });
  await phase(stage, 'web', 'Ready');
  await phase(stage, 'taken', 'Failed');

  const spellings = [plain, kept].flatMap((canary) => [canary, Buffer.from(canary).toString('base64').replace(/=+$/, '')]);
  const shows = (text: string): boolean => spellings.some((spelling) => text.includes(spelling));
  const found = [...(await everything(stage))].filter(([, text]) => shows(text)).map(([name]) => name);
  const at = (name: string): string => `/apis/pelotech.ot/v1alpha1/virtualmachines ${stage.namespace}/${name}`;
  assert.deepEqual(found.filter((name) => !name.startsWith('/api/v1/secrets ')).sort(), [at('taken'), at('web')]);
  const machine = await stage.resource<VirtualMachine>(types.machines).get({ name: 'web', namespace: stage.namespace });
  assert.ok(!shows(JSON.stringify(machine.status)));
  assert.ok(lines.length > 0);
  assert.deepEqual(lines.filter(shows), []);
  assert.ok(!shows(await operator.manager.metrics.registry.metrics()));
});

test('an image in another namespace: refused for who may not use it, whatever rights the operator has', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  const lab = await stage.cluster.namespace('lab');
  const rbac = (plural: string) => ({ group: 'rbac.authorization.k8s.io', version: 'v1', plural, namespaced: true });
  const subject = { kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' };
  await stage.resource<KubeObject>(rbac('rolebindings')).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'eve', namespace: lab },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [subject],
  } as KubeObject);
  const eve = new Connection(stage.cluster.credentialsOf('eve', ['system:authenticated']));
  try {
    const vmDiskImageRef = { name: 'debian', namespace: stage.namespace };
    const manifest = aVirtualMachine({ metadata: { name: 'web', namespace: lab }, spec: { vmDiskImageRef } });
    await assert.rejects(
      new Resource<VirtualMachine>(eve, types.machines).create(manifest),
      (error) => error instanceof ApiError && error.code === 403 && /eve needs the right to use VMDiskImage/.test(error.message),
    );
  } finally {
    await eve.close();
  }
});
