/** CEL has a budget that is spent on every write. These are the writes that spend most. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type CustomResourceDefinition, crdOf, kinds } from '@terrain/api';
import { largest } from '@terrain/api/testing';
import { ApiError, applyManifests, type KubeObject } from '@terrain/runtime';
import { withChanges } from './crd-change.ts';
import { crdCluster, judge, pathOf, placed } from './crd-cluster.ts';

const plainPrefix = 'plain.';

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([keyword]) => keyword !== 'x-kubernetes-validations');
  return Object.fromEntries(entries.map(([keyword, child]) => [keyword, withoutRules(child)]));
}

/** The same kind with the same schema but no rules, in a group of its own: what a write costs without CEL. */
function plainTwin(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { group, names, ...spec } = crd.spec as { group: string; names: { plural: string } };
  const {
    shortNames: _,
    categories: __,
    ...plainNames
  } = names as { shortNames?: unknown; categories?: unknown; plural: string };
  return {
    ...crd,
    metadata: { ...crd.metadata, name: `${names.plural}.${plainPrefix}${group}` },
    spec: { ...(withoutRules(spec) as object), group: plainPrefix + group, names: plainNames },
  };
}

interface Cost {
  readonly wallMs: number;
  /** Processor time of the API server, which other work on the machine does not add to. */
  readonly cpuMs: number;
}

async function serverCpuMs(): Promise<number> {
  const { connection } = await crdCluster();
  const metrics = await connection.request<string>({ method: 'GET', path: '/metrics', accept: 'text/plain' });
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]) * 1000;
}

/** Per request: the quickest of several, and the mean of their processor time, whose clock ticks every 10 ms. */
async function costOf(request: () => Promise<unknown>, runs: number): Promise<Cost> {
  await request();
  let wallMs = Number.POSITIVE_INFINITY;
  const begin = await serverCpuMs();
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await request();
    wallMs = Math.min(wallMs, performance.now() - start);
  }
  return { wallMs, cpuMs: ((await serverCpuMs()) - begin) / runs };
}

async function judgePlain(object: KubeObject): Promise<void> {
  const { connection, namespace } = await crdCluster();
  const body = placed({ ...object, apiVersion: plainPrefix + object.apiVersion }, namespace);
  const path = pathOf(body, 'collection').replace('/apis/', `/apis/${plainPrefix}`);
  await connection.request({ method: 'POST', path, query: { dryRun: 'All' }, body });
}

describe('the largest legal object', () => {
  before(async () => {
    const { connection } = await crdCluster();
    await applyManifests(connection, kinds.map(crdOf).map(plainTwin), { fieldManager: 'test' });
  });

  for (const object of Object.values(largest)) {
    test(`of ${object.kind} is accepted`, async (context) => {
      const bytes = JSON.stringify(object).length;
      const runs = bytes > 500_000 ? 3 : 20;
      const withRules = await costOf(() => judge(object), runs);
      const without = await costOf(() => judgePlain(object), runs);
      const cell = (value: number, width: number): string => value.toFixed(0).padStart(width);
      context.diagnostic(
        `largest ${object.kind.padEnd(17)} ${cell(bytes / 1024, 4)} KiB, accepted in ${cell(withRules.wallMs, 4)} ms; ` +
          `processor time ${cell(withRules.cpuMs, 4)} ms, without CEL ${cell(without.cpuMs, 4)} ms`,
      );
    });
  }
});

test('a Workspace in which every interface is wrong is refused in words, not for running out of budget', async () => {
  const wrong = (change: (face: { network: string; ipAddress?: string }) => void): KubeObject => {
    const object = structuredClone(largest.Workspace);
    for (const owner of [...object.spec.vms!, ...object.spec.containerClusters!]) owner.interfaces!.forEach(change);
    return object;
  };
  const elsewhere = wrong((face) => {
    face.ipAddress = `${'fd00:'.repeat(7)}fd00/112`;
  });
  await assertRefusals(
    elsewhere,
    ['spec.vms', 'spec.containerClusters'],
    /^Invalid value: an ipAddress of \["vm-0-x.* is not inside|^Invalid value: an ipAddress of \["cluster-0-x.* is not inside/,
  );
  const nowhere = wrong((face) => {
    face.network = face.network.replace('net', 'nil');
  });
  await assertRefusals(
    nowhere,
    ['spec.vms', 'spec.containerClusters'],
    /^Invalid value: an interface of \["(vm|cluster)-0-x.* names a network that is not defined/,
  );
});

async function refusalOf(object: KubeObject): Promise<ApiError> {
  const error = await judge(object).then(
    () => assert.fail('accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

async function assertRefusals(object: KubeObject, fields: readonly string[], words: RegExp): Promise<void> {
  const error = await refusalOf(object);
  assert.deepEqual(
    error.causes.map(({ field }) => field),
    fields,
    error.message,
  );
  for (const { message } of error.causes) assert.match(message ?? '', words);
}

/** Only one list at a time has to be full to be too full. */
const smaller: Partial<Record<string, KubeObject>> = {
  Workspace: withChanges(largest.Workspace, {
    'spec.vms': largest.Workspace.spec.vms!.slice(0, 1),
    'spec.containerClusters': [{ ...largest.Workspace.spec.containerClusters![0], containers: [{ name: 'one', image: 'one' }] }],
  }),
  WorkspaceTemplate: withChanges(largest.WorkspaceTemplate, { 'spec.workspace': undefined }),
};

interface Limit {
  readonly kind: keyof typeof largest;
  readonly path: string;
  readonly want: number;
}

const limits: Record<string, Limit> = {
  machines: { kind: 'Workspace', path: 'spec.vms', want: 32 },
  'container clusters': { kind: 'Workspace', path: 'spec.containerClusters', want: 32 },
  networks: { kind: 'Workspace', path: 'spec.networks', want: 20 },
  volumes: { kind: 'Workspace', path: 'spec.volumes', want: 32 },
  'interfaces of a machine': { kind: 'Workspace', path: 'spec.vms[0].interfaces', want: 8 },
  'interfaces of a container cluster': { kind: 'Workspace', path: 'spec.containerClusters[0].interfaces', want: 8 },
  containers: { kind: 'Workspace', path: 'spec.containerClusters[0].containers', want: 16 },
  routes: { kind: 'Workspace', path: 'spec.networks[0].routes', want: 16 },
  users: { kind: 'VirtualMachine', path: 'spec.users', want: 16 },
  interfaces: { kind: 'VirtualMachine', path: 'spec.interfaces', want: 8 },
  images: { kind: 'DataSync', path: 'spec.vms', want: 100 },
  steps: { kind: 'WorkspaceTemplate', path: 'spec.steps', want: 200 },
};

function listAt(object: KubeObject, path: string): object[] {
  const keys = path.split(/[.[\]]+/);
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], object) as object[];
}

for (const [name, { kind, path, want }] of Object.entries(limits)) {
  test(`of ${name} in a ${kind} there are at most ${want}`, async () => {
    const list = listAt(largest[kind], path);
    assert.equal(list.length, want, 'the largest object is as large as documented');
    const last = list.at(-1)!;
    const key = ['name', 'network', 'id'].find((candidate) => candidate in last);
    const extra = key === undefined ? last : { ...last, [key]: 'one-more' };
    const tooMany = withChanges(smaller[kind] ?? largest[kind], { [path]: [...list, extra] });
    const error = await refusalOf(tooMany);
    const [cause] = error.causes;
    assert.deepEqual(
      { field: cause?.field, message: cause?.message?.replace(/^.*: /, '') },
      { field: path, message: `must have at most ${want} items` },
    );
  });
}
