/** The cluster of the policy and role suites: one for all of them, with everything installed and in force, and no operator. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import {
  admissionPolicies,
  crdOf,
  emptyLedger,
  formatLedger,
  kinds,
  type Ledger,
  ledgerManifest,
  operatorIdentity,
  peopleRoles,
} from '@terrain/api';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { ApiError, applyManifests, type Connection, isNotFound, type KubeObject } from '@terrain/runtime';
import { everyKind, farm, labNamespace, pathOf, type Subject, team } from './policy-objects.ts';

let shared: Promise<TestCluster> | undefined;

/** A cluster of its own: these suites put policies in force that other suites of this process do not expect. */
export function policyCluster(): Promise<TestCluster> {
  shared ??= start();
  return shared;
}

async function start(): Promise<TestCluster> {
  const cluster = await newTestCluster({ controllerManager: true });
  const namespaces = [farm, team, labNamespace].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const canaries = [admissionCanary, mutationCanary].flat();
  const connection = cluster.connection();
  const objects: KubeObject[] = [...namespaces, ...operatorIdentity(), ...kinds.map(crdOf), ...peopleRoles()];
  await applyManifests(connection, objects, { fieldManager: 'test' });
  await connection.request({ method: 'POST', path: '/api/v1/namespaces/sync-operator/configmaps', body: ledgerManifest() });
  await applyManifests(connection, admissionPolicies().flat(), { fieldManager: 'test' });
  // Policies come into force in the order they were created: once these are, all are.
  await applyManifests(connection, canaries, { fieldManager: 'test' });
  await eventually('policies in force', async () => {
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'canary' } };
    await assert.rejects(create(connection, '/api/v1/namespaces/default/configmaps', probe), { code: 403 });
    const { metadata } = await create<KubeObject>(connection, '/api/v1/namespaces/default/configmaps', {
      ...probe,
      metadata: { name: 'bird' },
    });
    assert.equal(metadata.labels?.canary, 'sings');
  });
  // The part of the API server that applies mutations learns of new kinds every 5 s, and answers 503 until then.
  await eventually('mutations of our kinds', async () => {
    for (const subject of everyKind()) await create(connection, pathOf(subject, 'collection'), subject);
  });
  return cluster;
}

const registration = 'admissionregistration.k8s.io/v1';
const canaryRule = (name: string) => ({
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], resourceNames: [name] },
  ],
});
const admissionCanary = [
  {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'canary' },
    spec: { matchConstraints: canaryRule('canary'), validations: [{ expression: 'false', reason: 'Forbidden' }] },
  },
  {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'canary' },
    spec: { policyName: 'canary', validationActions: ['Deny'] },
  },
];
const mutationCanary = [
  {
    apiVersion: registration,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'canary' },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: canaryRule('bird'),
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'canary': 'sings'}}}" },
        },
      ],
    },
  },
  {
    apiVersion: registration,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'canary' },
    spec: { policyName: 'canary' },
  },
];

/** POST as a dry run: judged in full, not stored. */
export function create<T>(connection: Connection, path: string, body: unknown): Promise<T> {
  return connection.request<T>({ method: 'POST', path, query: { dryRun: 'All' }, body });
}

/** A merge patch as a dry run. */
export function edit<T>(connection: Connection, path: string, body: unknown): Promise<T> {
  return connection.request<T>({ method: 'PATCH', path, query: { dryRun: 'All' }, contentType: mergePatch, body });
}

/** DELETE as a dry run; of a collection, every object in it is judged. */
export function remove(connection: Connection, path: string): Promise<void> {
  return connection.request({ method: 'DELETE', path, query: { dryRun: 'All' } });
}

/** What ends things after a test or a suite of tests. */
export type Ending = { readonly after: (end: () => Promise<void>) => unknown };

/** Creates an object as the administrator, and takes it away afterwards, finalizers and all. */
export async function stored(ending: Ending, subject: Subject, status?: object): Promise<KubeObject> {
  const connection = (await policyCluster()).connection();
  const path = pathOf(subject);
  const created = await connection.request<KubeObject>({ method: 'POST', path: pathOf(subject, 'collection'), body: subject });
  const patch = (body: object, subresource = '') =>
    connection.request<KubeObject>({ method: 'PATCH', path: path + subresource, contentType: mergePatch, body });
  ending.after(async () => {
    try {
      await patch({ status: null }, '/status');
      await patch({ metadata: { finalizers: null } });
      await connection.request({ method: 'DELETE', path });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
  return status === undefined ? created : patch({ status }, '/status');
}

const mergePatch = 'application/merge-patch+json';

const ledgerPath = '/api/v1/namespaces/sync-operator/configmaps/sync-operator-slots';

/**
 * Runs something while the ledger says something else, and puts it back.
 *
 * `probe` is asked until it passes, both times: policies see the ledger some milliseconds late. `inForce` tells it which state to expect.
 */
export async function withLedger(
  ledger: Ledger,
  probe: (inForce: boolean) => Promise<unknown>,
  run: () => Promise<unknown>,
): Promise<void> {
  const connection = (await policyCluster()).connection();
  const write = (data: Record<string, string>) =>
    connection.request({ method: 'PUT', path: ledgerPath, body: { ...ledgerManifest(), data } });
  await write(formatLedger(ledger));
  try {
    await eventually('the ledger is seen', () => probe(true));
    await run();
  } finally {
    await write(formatLedger(emptyLedger));
    await eventually('the ledger is seen', () => probe(false));
  }
}

/** Asks again until nothing is thrown; what is thrown last is what was still wrong. */
export async function eventually<T>(what: string, ask: () => Promise<T>, timeoutMs = 20_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw new Error(`${what}: not within ${timeoutMs / 1000} s`, { cause: error });
      await delay(30);
    }
  }
}

/** Asserts that a policy refused with 403 and these words, and that it was this policy. */
export async function assertRefused(request: Promise<unknown>, policy: string, words: RegExp): Promise<void> {
  const error = await request.then(
    () => assert.fail(`accepted, but ${policy} should refuse it`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  assert.deepEqual({ code: error.code, reason: error.reason }, { code: 403, reason: 'Forbidden' }, error.message);
  assert.match(error.message, new RegExp(`ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: `));
  assert.match(error.message, words);
}
