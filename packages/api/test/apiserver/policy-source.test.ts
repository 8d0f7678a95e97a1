import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyLedger, ledgerManifest, resolveInstall } from '@terrain/api';
import type { Connection, KubeObject } from '@terrain/runtime';
import { assertRefused, create, edit, eventually, policyCluster, remove, stored, withLedger } from './policy-cluster.ts';
import { anImage, aWorkspace, holders, pathOf, publicSource, type Subject } from './policy-objects.ts';
import { aPerson } from './policy-people.ts';
import { acceptedUrls, refusedUrls, typeOf } from './policy-source-cases.ts';

const words: Record<keyof typeof refusedUrls, (path: string, url: string) => RegExp> = {
  wellFormed: (path) =>
    new RegExp(
      `${literal(path)}\\.url is ".*", which names no host to download from: write a URL such as|must name a host, such as`,
    ),
  withoutUser: (path) => new RegExp(`${literal(path)}\\.url has an @ before its path: put credentials into a Secret`),
  publicHost: (path) => new RegExp(`${literal(path)}\\.url names the host ".+", which is not public: write a public address`),
};

const literal = (text: string) => text.replaceAll(/[[\].]/g, '\\$&');
const source = (url: string) => ({ url, sourceType: typeOf(url), diskSize: '1Gi' });
const judge = async (subject: Subject): Promise<void> => create(await admin(), pathOf(subject, 'collection'), subject);
const admin = async (): Promise<Connection> => (await policyCluster()).connection();

for (const [kind, holder] of Object.entries(holders)) {
  const policy = `terrain-${kind.toLowerCase()}-source`;
  describe(`the source of a ${kind}`, () => {
    for (const [rule, urls] of Object.entries(refusedUrls) as [keyof typeof refusedUrls, Record<string, string>][]) {
      for (const [name, url] of Object.entries(urls)) {
        test(`is refused with ${name}: ${JSON.stringify(url)}`, () =>
          assertRefused(judge(holder.with(source(url))), policy, words[rule](holder.path, url)));
      }
    }
    for (const [name, url] of Object.entries(acceptedUrls)) {
      test(`is accepted with ${name}: ${url}`, () => judge(holder.with(source(url))));
    }
    test('is accepted when there is nothing to download', () => judge(holder.with({ sourceType: 'blank', diskSize: '1Gi' })));
  });
}

const internal = source('http://minio.storage.svc/disk.qcow2');
const permissive = { ...emptyLedger, policy: new Map([['allowInternalSources', 'true']]) };
const isLifted = (lifted: boolean) =>
  lifted ? judge(anImage(internal)) : assert.rejects(judge(anImage(internal)), { code: 403 });

for (const [kind, holder] of Object.entries(holders)) {
  const policy = `terrain-${kind.toLowerCase()}-source`;
  const existing = holder.with(internal);
  test(`an internal source of a ${kind} is accepted while the sync policy allows it, and stays editable afterwards`, async (t) => {
    await withLedger(permissive, isLifted, () => stored(t, existing));
    const connection = await admin();
    await edit(connection, pathOf(existing), { metadata: { labels: { a: 'b' } } });
    await edit(connection, pathOf(existing), holder.with({ ...internal, diskSize: '2Gi' }));
    await edit(connection, pathOf(existing), holder.with(publicSource));
    const other = holder.with({ ...internal, url: 'http://minio.storage.svc/other.qcow2' });
    await assertRefused(edit(connection, pathOf(existing), other), policy, words.publicHost(holder.path, ''));
  });
}

test('the operator is not exempt: it passes on what others wrote', async () => {
  const { operatorUser } = resolveInstall({});
  const operator = (await policyCluster()).connectionAs(operatorUser, ['system:masters']);
  const subject = anImage(internal);
  await assertRefused(
    create(operator, pathOf(subject, 'collection'), subject),
    'terrain-vmdiskimage-source',
    /names the host "minio\.storage\.svc"/,
  );
});

test('a word other than true does not lift the rule', async () => {
  const marker = {
    ...emptyLedger,
    policy: new Map([
      ['allowInternalSources', 'yes'],
      ['imageNamespace', 'marker'],
    ]),
  };
  const markerIsSeen = async (seen: boolean) => {
    const { connection } = await aPerson(await policyCluster());
    const subject = aWorkspace([{}]);
    await assert.rejects(create(connection, pathOf(subject, 'collection'), subject), seen ? /marker\// : /vmdi-farm\//);
  };
  await withLedger(marker, markerIsSeen, () => isLifted(false));
});

test('without a ledger nothing is accepted', async () => {
  const connection = await admin();
  const binding = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/terrain-ledger-deletion';
  const { metadata, ...rest } = await connection.request<KubeObject>({ method: 'GET', path: binding });
  await connection.request({ method: 'DELETE', path: binding });
  const ledgers = '/api/v1/namespaces/sync-operator/configmaps';
  await eventually('the ledger can be deleted', () =>
    connection.request({ method: 'DELETE', path: `${ledgers}/sync-operator-slots` }),
  );
  try {
    await eventually('nothing is accepted', () =>
      assert.rejects(judge(anImage(publicSource)), { code: 422, message: /no params found for policy binding with `Deny`/ }),
    );
  } finally {
    await connection.request({ method: 'POST', path: ledgers, body: ledgerManifest() });
    const path = binding.slice(0, binding.lastIndexOf('/'));
    await connection.request({ method: 'POST', path, body: { ...rest, metadata: { name: metadata.name } } });
    await eventually('public sources are accepted again', () => judge(anImage(publicSource)));
    await eventually('the ledger is guarded again', () => assert.rejects(remove(connection, `${ledgers}/sync-operator-slots`)));
  }
});
