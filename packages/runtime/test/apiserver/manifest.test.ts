import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { ApiError, applyManifests, type KubeObject, Resource, type ResourceType, waitForObject } from '@terrain/runtime';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const apply = { fieldManager: 'manifest-test' };

const configMap = (name: string, namespace: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

function definition(group: string): KubeObject & { spec: unknown } {
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

describe('manifests on a real API server', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await testCluster();
  });

  test('objects may stand before the namespace and the definition they need', async () => {
    const group = 'order.example.com';
    const widget = {
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'manifest-order' },
      spec: { size: 3 },
    };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'manifest-order' } };
    const applied: string[] = [];
    await applyManifests(cluster.connection(), [widget, configMap('c', 'manifest-order'), definition(group), namespace], {
      ...apply,
      onApplied: ({ kind }) => applied.push(kind),
    });
    assert.deepEqual(applied.toSorted(), ['ConfigMap', 'CustomResourceDefinition', 'Namespace', 'Widget']);
    const widgets = new Resource<typeof widget>(cluster.connection(), {
      group,
      version: 'v1',
      plural: 'widgets',
      namespaced: true,
    });
    assert.deepEqual((await widgets.get({ name: 'w', namespace: 'manifest-order' })).spec, { size: 3 });
  });

  test('applying the same again changes no resource version', async () => {
    const namespace = await cluster.namespace();
    const object = configMap('same', namespace, { a: '1' });
    const resource = new Resource<ConfigMap>(cluster.connection(), configMaps);
    await applyManifests(cluster.connection(), [object], apply);
    const first = await resource.get({ name: 'same', namespace });
    await applyManifests(cluster.connection(), [object], apply);
    const second = await resource.get({ name: 'same', namespace });
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  });

  test('all failures are told at once, and what is good is applied', async () => {
    const namespace = await cluster.namespace();
    const unknown = { apiVersion: 'no.example.com/v1', kind: 'Nothing', metadata: { name: 'n', namespace } };
    const bad = configMap('Bad_Name', namespace);
    const failure = await applyManifests(cluster.connection(), [unknown, bad, configMap('good', namespace)], apply).then(
      () => assert.fail('bad manifests were accepted'),
      (error: Error) => error.message,
    );
    assert.match(
      failure,
      /Nothing .*\/n could not be applied: the cluster does not know no\.example\.com\/v1 Nothing; is its definition installed\?/,
    );
    assert.match(failure, /ConfigMap .*\/Bad_Name could not be applied: .*Invalid value: "Bad_Name"/);
    await new Resource<ConfigMap>(cluster.connection(), configMaps).get({ name: 'good', namespace });
  });

  test('a wait ends when the object becomes as wanted, also when it does not exist at first', async () => {
    const namespace = await cluster.namespace();
    const reasons: string[] = [];
    const judge = (object: ConfigMap | undefined): string | undefined =>
      object === undefined ? 'not there' : object.data?.state === 'done' ? undefined : `state is ${object.data?.state}`;
    const resource = new Resource<ConfigMap>(cluster.connection(), configMaps);
    const writes = [
      () => resource.create(configMap('w', namespace, { state: 'busy' })),
      () => resource.apply(configMap('w', namespace, { state: 'done' }), { ...apply, force: true }),
    ];
    const found = await waitForObject<ConfigMap>(cluster.connection(), configMaps, { name: 'w', namespace }, judge, {
      timeoutMs: 20_000,
      onWaiting: (reason) => {
        reasons.push(reason);
        void writes.shift()?.();
      },
    });
    assert.equal(found?.data?.state, 'done');
    assert.deepEqual(reasons, ['not there', 'state is busy']);
  });

  test('a wait that runs out of time names the object and what was missing', async () => {
    const wait = waitForObject(
      cluster.connection(),
      configMaps,
      { name: 'never', namespace: 'default' },
      () => 'it never comes',
      { timeoutMs: 3000 },
    );
    await assert.rejects(wait, { message: 'configmaps default/never is not as wanted after 3 s: it never comes' });
  });

  test('a wait that is not allowed ends at once with the refusal', async () => {
    const stranger = cluster.connectionAs('nobody');
    const wait = waitForObject(stranger, configMaps, { name: 'c', namespace: 'default' }, () => 'x', { timeoutMs: 20_000 });
    await assert.rejects(wait, (error: Error) => error instanceof ApiError && error.code === 403);
  });
});
