import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import {
  type ApiRequest,
  type ApiTransport,
  type Connection,
  compareAndSwap,
  controllerReference,
  type KubeObject,
  Recorder,
  type Refusal,
  Resource,
  type ResourceType,
  refusalOf,
  silentLogger,
  systemClock,
  Writer,
} from '@terrain/runtime';
import { until } from '../until.ts';
import { customKind, installKind, type Sample, sample } from './custom-kind.ts';

const custom = customKind('applicants');
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true };

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

describe('writes on a real API server', () => {
  let cluster: TestCluster;
  let connection: Connection;
  let namespace: string;
  let owner: Sample;
  let samples: Resource<Sample>;
  let requests: string[] = [];
  let writer: Writer;

  before(async () => {
    cluster = await testCluster();
    connection = cluster.connection();
    namespace = await cluster.namespace('apply');
    await installKind(connection, custom);
    samples = new Resource<Sample>(connection, custom.type);
    owner = await samples.create(sample(custom, 'owner', namespace));
    const api: ApiTransport = {
      request: <T>(request: ApiRequest) => {
        requests.push(request.method);
        return connection.request<T>(request);
      },
      exchange: (request) => connection.exchange(request),
      stream: (request) => connection.stream(request),
      streamBatches: (request) => connection.streamBatches(request),
    };
    writer = new Writer({ api, fieldManager: 'us' });
  });
  const taken = (): string[] => {
    const [...list] = requests;
    requests = [];
    return list;
  };
  const child = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { app: 'x' }, ownerReferences: [controllerReference(owner)] },
    data,
  });

  test('a child is made, left alone, changed, healed; fields left out disappear, foreign ones stay', async () => {
    const maps = new Resource<ConfigMap>(connection, configMaps);
    taken();
    const first = await writer.child(configMaps, child('c', { a: '1', b: '2' }), undefined);
    assert.deepEqual(taken(), ['POST']);
    assert.equal(await writer.child(configMaps, child('c', { a: '1', b: '2' }), first), first);
    const foreign = await maps.mergePatch({ namespace, name: 'c' }, { data: { theirs: 'x' } });
    assert.equal(await writer.child(configMaps, child('c', { a: '1', b: '2' }), foreign), foreign);
    assert.deepEqual(taken(), [], 'nothing of ours changed');
    const second = await writer.child(configMaps, child('c', { a: '1' }), foreign);
    assert.deepEqual(second.data, { a: '1', theirs: 'x' });
    assert.deepEqual(taken(), ['GET', 'PATCH', 'PATCH']);
    const drifted = await maps.mergePatch(
      { namespace, name: 'c' },
      { data: { a: 'by hand' }, metadata: { labels: { app: null } } },
    );
    const healed = await writer.child(configMaps, child('c', { a: '1' }), drifted);
    assert.equal(healed.data?.a, '1');
    assert.equal(healed.metadata.labels?.app, 'x');
    assert.deepEqual(taken(), ['PATCH']);
  });

  test('a manifest that the server fills with defaults and rewrites is sent once', async () => {
    const desired = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace, ownerReferences: [controllerReference(owner)] },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'd' } },
        template: {
          metadata: { labels: { app: 'd' } },
          spec: { containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '1000m', memory: '0.5Gi' } } }] },
        },
      },
    };
    taken();
    const made = await writer.child<KubeObject>(deployments, desired, undefined);
    assert.equal(await writer.child<KubeObject>(deployments, desired, made), made);
    assert.deepEqual(taken(), ['POST']);
    const restarted = (): Writer => new Writer({ api: connection, fieldManager: 'us' });
    const applied = await restarted().child<KubeObject>(deployments, desired, made);
    const again = await restarted().child<KubeObject>(deployments, desired, applied);
    assert.equal(again.metadata.resourceVersion, applied.metadata.resourceVersion, 'a later restart asks, and nothing changes');
  });

  test('an update never brings a child back from the dead, nor undoes what it has not seen', async () => {
    const maps = new Resource<ConfigMap>(connection, configMaps);
    const made = await writer.child(configMaps, child('e', { a: '1' }), undefined);
    const applied = await writer.child(configMaps, child('e', { a: '2' }), made);
    await maps.mergePatch({ namespace, name: 'e' }, { data: { a: '3' } });
    await assert.rejects(writer.child(configMaps, child('e', { a: '4' }), applied), { code: 409, reason: 'Conflict' });
    await assert.rejects(
      writer.child(configMaps, child('e', { a: '4' }), made),
      { code: 409, reason: 'Conflict' },
      'also before the first apply',
    );
    await maps.delete({ namespace, name: 'e' });
    await assert.rejects(writer.child(configMaps, child('e', { a: '4' }), applied), { code: 409, reason: 'Conflict' });
    await assert.rejects(maps.get({ namespace, name: 'e' }), { code: 404 });
  });

  test('a status is applied with the version, survives users of the spec, and goes field by field', async () => {
    const object = await samples.create(sample(custom, 's', namespace));
    const first = await writer.status(custom.type, object, { phase: 'New', parts: [{ name: 'a' }] });
    assert.deepEqual(first.status, { phase: 'New', parts: [{ name: 'a' }] });
    assert.equal(await writer.status(custom.type, first, { parts: [{ name: 'a' }], phase: 'New' }), first);
    const changed = await samples.mergePatch({ namespace, name: 's' }, { spec: { size: 3 } });
    await assert.rejects(writer.status(custom.type, first, { phase: 'Stale' }), { code: 409 });
    const second = await writer.status(custom.type, changed, { phase: 'Ready' });
    assert.deepEqual(second.status, { phase: 'Ready' });
    assert.deepEqual(second.spec, { size: 3 });
  });

  test('deletes name object and version; finalizers come and go with the version', async () => {
    const object = await samples.create(sample(custom, 'f', namespace));
    const guarded = await writer.addFinalizer(custom.type, object, 'runtime.test/guard');
    await assert.rejects(writer.delete(custom.type, object), { code: 409 });
    assert.equal(await writer.delete(custom.type, guarded), 'going');
    const leaving = await samples.get({ namespace, name: 'f' });
    await assert.rejects(writer.removeFinalizer(custom.type, guarded, 'runtime.test/guard'), { code: 409 });
    assert.equal(await writer.removeFinalizer(custom.type, leaving, 'runtime.test/guard'), undefined);
    assert.equal(await writer.delete(custom.type, leaving), 'gone');
    const successor = await samples.create(sample(custom, 'f', namespace));
    await assert.rejects(writer.delete(custom.type, leaving), { code: 409 }, 'the successor is another object');
    assert.equal(await writer.delete(custom.type, successor), 'gone');
  });

  test('twenty writers of one object lose no change', async () => {
    const maps = new Resource<ConfigMap>(connection, configMaps);
    const at = { namespace, name: 'counter' };
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { n: '0' } });
    const increment = (current: ConfigMap): ConfigMap => ({ ...current, data: { n: `${Number(current.data?.n) + 1}` } });
    await Promise.all(
      Array.from({ length: 20 }, () => compareAndSwap<ConfigMap>(connection, configMaps, at, increment, { tries: 100 })),
    );
    assert.equal((await maps.get(at)).data?.n, '20');
  });

  test('an event and its count are accepted and shown by kubectl', async () => {
    const errors: unknown[] = [];
    const log = {
      ...silentLogger,
      debug: (fields: { err: unknown }) => errors.push(fields.err),
    } as unknown as typeof silentLogger;
    const recorder = new Recorder({ api: connection, clock: systemClock, log, reporter: { controller: 'us', instance: 'us-1' } });
    for (let i = 0; i < 3; i++) recorder.record(owner, { type: 'Warning', reason: 'Tested', note: 'an event of a test' });
    await recorder.close();
    assert.deepEqual(errors, []);
    const { stdout } = await cluster.kubectl('get', 'events.events.k8s.io', '-n', namespace, '-o', 'json');
    const [event] = (JSON.parse(stdout) as { items: { reason: string; series?: { count: number } }[] }).items;
    assert.equal(event?.reason, 'Tested');
    assert.equal(event?.series?.count, 3);
  });

  describe('refusals are told apart', () => {
    before(async () => {
      const rules = {
        apiGroups: [custom.type.group],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: [custom.type.plural],
      };
      const policy = (name: string, expression: string, reason?: string) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          matchConstraints: { resourceRules: [rules] },
          validations: [{ expression, message: `${name} says no`, ...(reason === undefined ? {} : { reason }) }],
        },
      });
      const policies = [
        policy('no-red', "!has(object.spec.color) || object.spec.color != 'red'", 'Forbidden'),
        policy('no-blue', "!has(object.spec.color) || object.spec.color != 'blue'"),
      ];
      for (const body of policies) {
        const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
        await connection.request({ method: 'POST', path, body });
        const { name } = body.metadata;
        const binding = {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicyBinding',
          metadata: { name },
          spec: { policyName: name, validationActions: ['Deny'] },
        };
        await connection.request({ method: 'POST', path: `${path.replace('policies', 'policybindings')}`, body: binding });
      }
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none' },
        spec: { hard: { 'count/secrets': '0' } },
      };
      await connection.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/resourcequotas`, body: quota });
      // Without a controller-manager nobody fills in what is used.
      await connection.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/resourcequotas/none/status`,
        contentType: 'application/merge-patch+json',
        body: { status: { hard: { 'count/secrets': '0' }, used: { 'count/secrets': '0' } } },
      });
      for (const color of ['red', 'blue'])
        await until(`policy against ${color}`, () =>
          samples.create(sample(custom, 'probe', namespace, { color }), { dryRun: true }).then(
            () => false,
            () => true,
          ),
        );
    });

    const leaving = async (): Promise<string> => {
      const name = await cluster.namespace('leaving');
      const guard = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'guard', finalizers: ['runtime.test/stay'] } };
      await connection.request({ method: 'POST', path: `/api/v1/namespaces/${name}/configmaps`, body: guard });
      await connection.request({ method: 'DELETE', path: `/api/v1/namespaces/${name}` });
      return name;
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
    const cases: Record<string, { attempt: () => Promise<unknown>; want: Refusal }> = {
      'a policy that says Forbidden': {
        attempt: () => samples.create(sample(custom, 'p', namespace, { color: 'red' })),
        want: 'policy',
      },
      'a policy with the default reason': {
        attempt: () => samples.create(sample(custom, 'p', namespace, { color: 'blue' })),
        want: 'policy',
      },
      'a value the schema refuses': {
        attempt: () => samples.create(sample(custom, 'p', namespace, { size: -1 })),
        want: 'manifest',
      },
      'a name that is none': { attempt: () => samples.create(sample(custom, 'Not A Name', namespace)), want: 'manifest' },
      'a quota that is used up': {
        attempt: () => connection.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets`, body: secret }),
        want: 'quota',
      },
      'a user without rights': {
        attempt: () => new Resource<Sample>(cluster.connectionAs('stranger'), custom.type).create(sample(custom, 'p', namespace)),
        want: 'rights',
      },
      'a namespace on its way out': {
        attempt: async () => samples.create(sample(custom, 'p', await leaving())),
        want: 'terminating',
      },
      'a namespace that is not there': { attempt: () => samples.create(sample(custom, 'p', 'nowhere')), want: 'missing' },
      'an object that exists': { attempt: () => samples.create(sample(custom, 'owner', namespace)), want: 'stale' },
      'a version that is old': {
        attempt: () => samples.replace({ ...owner, metadata: { ...owner.metadata, resourceVersion: '1' } }),
        want: 'stale',
      },
    };
    for (const [name, { attempt, want }] of Object.entries(cases)) {
      test(`${name} is ${want}`, async () => {
        await assert.rejects(attempt(), (error) => {
          assert.equal(refusalOf(error), want, String(error));
          return true;
        });
      });
    }
  });
});
