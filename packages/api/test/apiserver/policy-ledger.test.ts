import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { admissionPolicies, emptyLedger, formatLedger, type LedgerEntry, ledgerManifest, ledgerName } from '@terrain/api';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { applyManifests, type Connection, type KubeObject } from '@terrain/runtime';
import { assertRefused, create, edit, eventually, policyCluster, remove, withLedger } from './policy-cluster.ts';
import { changes, downloads, ledgerData } from './policy-ledger-cases.ts';
import { anImage, farm, pathOf, publicSource, team } from './policy-objects.ts';

const admin = async (): Promise<Connection> => (await policyCluster()).connection();
const configMaps = '/api/v1/namespaces/sync-operator/configmaps';
const replace = async (data: Record<string, string> | undefined, dryRun: boolean, at = configMaps): Promise<void> => {
  const { data: _, metadata, ...rest } = ledgerManifest();
  const { namespace: __, ...placed } = metadata;
  const body = { ...rest, metadata: placed, ...(data === undefined ? {} : { data }) };
  const query = dryRun ? { dryRun: 'All' } : {};
  await (await admin()).request({ method: 'PUT', path: `${at}/${ledgerName}`, query, body });
};

describe('the ledger with limit 2 and two entries', () => {
  before(() => replace(ledgerData('2', 'a', 'b'), false));
  after(async () => {
    await replace(formatLedger(emptyLedger), false);
    await eventually('the ledger is seen', async () => create(await admin(), pathOf(anImage(), 'collection'), anImage()));
  });

  for (const [name, { to, words }] of Object.entries(changes)) {
    test(`${name}: ${words === undefined ? 'accepted' : 'refused'}`, () =>
      words === undefined ? replace(to, true) : assertRefused(replace(to, true), 'terrain-ledger-limit', words));
  }

  test('is guarded against patches too', async () => {
    const patch = (data: Record<string, string | null>) => async () =>
      edit(await admin(), `${configMaps}/${ledgerName}`, { data });
    await assertRefused(patch({ 'entry.c': 'anything' })(), 'terrain-ledger-limit', /would hold 3 entries with a limit of "2"/);
    await patch({ 'entry.c': 'anything', 'entry.a': null })();
  });

  test('is the only ConfigMap that is guarded', async () => {
    const data = { 'entry.a': 'x' };
    const at = `/api/v1/namespaces/${team}/configmaps`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ledgerName } };
    await (await admin()).request({ method: 'POST', path: at, body });
    await replace(data, true, at);
    await remove(await admin(), `${at}/${ledgerName}`);
  });
});

test('a ledger as large as it may be is judged within its budget', async (t) => {
  const many = (count: number) => ledgerData('1000', ...Array.from({ length: count }, (_, n) => `${'x'.repeat(30)}-${n}`));
  await replace(many(999), false);
  const start = performance.now();
  await replace(many(1000), true);
  t.diagnostic(`the 1000th entry was judged in ${(performance.now() - start).toFixed(0)} ms`);
  await assertRefused(replace(many(1001), true), 'terrain-ledger-limit', /would hold 1001 entries with a limit of "1000"/);
  await replace(formatLedger(emptyLedger), false);
  await eventually('the ledger is seen', async () => create(await admin(), pathOf(anImage(), 'collection'), anImage()));
});

describe('the ledger is deleted', () => {
  const words =
    /ConfigMap sync-operator-slots records which syncs are running and goes with its namespace only; to pause syncing set concurrency/;

  test('by nobody, not even the administrator', async () => {
    for (const path of [`${configMaps}/${ledgerName}`, configMaps])
      await assertRefused(remove(await admin(), path), 'terrain-ledger-deletion', words);
  });

  test('by the namespace controller', async () => {
    const controller = 'system:serviceaccount:kube-system:namespace-controller';
    await remove((await policyCluster()).connectionAs(controller, ['system:masters']), `${configMaps}/${ledgerName}`);
  });

  test('with its namespace', async () => {
    const connection = await admin();
    const operatorNamespace = await (await policyCluster()).namespace('operator');
    const install = { operatorNamespace };
    const pair = admissionPolicies(install).find(([{ metadata }]) => metadata.name === 'terrain-ledger-deletion')!;
    const renamed = JSON.parse(
      JSON.stringify(pair).replaceAll('terrain-ledger-deletion', 'second-ledger-deletion'),
    ) as KubeObject[];
    await applyManifests(connection, renamed, { fieldManager: 'test' });
    const at = `/api/v1/namespaces/${operatorNamespace}/configmaps`;
    await connection.request({ method: 'POST', path: at, body: ledgerManifest(emptyLedger, install) });
    await eventually('the second ledger is guarded', () =>
      assertRefused(remove(connection, `${at}/${ledgerName}`), 'second-ledger-deletion', words),
    );
    const path = `/api/v1/namespaces/${operatorNamespace}`;
    await connection.request({ method: 'DELETE', path });
    await eventually('the namespace is gone', () => assert.rejects(connection.request({ method: 'GET', path }), { code: 404 }));
  });
});

describe('a download', () => {
  const uid = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f';
  const owner = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'VMDiskImage', name: 'image', uid };
  const open: LedgerEntry = { image: `${team}/image`, attempt: 3, seq: 17, since: '2026-01-15T10:00:00Z', state: 'open' };

  before(async () => {
    const { definitions } = await ensureUpstream();
    await installDefinitions(
      await admin(),
      definitions.filter(({ metadata }) => metadata.name === 'datavolumes.cdi.kubevirt.io'),
    );
  });

  for (const [name, { entry, attempt = '3', owner: changed = {}, words }] of Object.entries(downloads)) {
    const body = {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: {
        name: 'disk',
        ...(attempt === '' ? {} : { labels: { 'pelotech.ot/attempt': attempt } }),
        ...(changed === null ? {} : { ownerReferences: [{ ...owner, ...changed }] }),
      },
      spec: { source: { http: { url: publicSource.url } }, storage: {} },
    };
    test(`with ${name}: ${words === undefined ? 'accepted' : 'refused'}`, async () => {
      const attemptIt = async () => create(await admin(), `/apis/cdi.kubevirt.io/v1beta1/namespaces/${team}/datavolumes`, body);
      const entries = new Map(entry === undefined ? [] : [[uid, { ...open, ...entry }]]);
      const judged = () => (words === undefined ? attemptIt() : assertRefused(attemptIt(), 'terrain-datavolume-slot', words));
      await withLedger(
        { ...emptyLedger, entries, policy: new Map([['imageNamespace', farm]]) },
        (inForce) => (inForce ? judged() : Promise.resolve()),
        judged,
      );
    });
  }
});
