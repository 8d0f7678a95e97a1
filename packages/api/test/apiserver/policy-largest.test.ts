/** Policies spend from a budget of their own on every write. These are the writes that spend most. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bounds } from '@terrain/api';
import { largest } from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import { judge } from './crd-cluster.ts';
import { assertRefused, create, edit, policyCluster, stored } from './policy-cluster.ts';
import { pathOf, type Subject, team } from './policy-objects.ts';

type Kind = keyof typeof largest;

type Change = (value: unknown, key: string) => unknown;

/** The largest object with every URL and every password replaced, in the namespace of the suite. */
function variant(kind: Kind, url: (index: number) => string, more: Change = (value) => value): Subject {
  let index = 0;
  const replaced = JSON.parse(JSON.stringify(largest[kind]), (key, value: unknown) =>
    more(key === 'url' ? url(index++) : value, key),
  ) as Subject;
  return placed(replaced);
}

function placed(object: KubeObject): Subject {
  const isCluster = object.kind === 'Workspace' || object.kind === 'WorkspaceTemplate';
  return { ...object, metadata: { ...object.metadata, ...(isCluster ? {} : { namespace: team }) } } as Subject;
}

const padded = (start: string) => start.padEnd(bounds.urlLength, 'x');
/** As many labels and characters as DNS allows in a name. */
const longestHost = `${'a.'.repeat(124)}test`;
const urls: Readonly<Record<string, (index: number) => string>> = {
  'as they are': (index) => padded(`https://images.example.com/${index}/`),
  'with the longest host names': () => padded(`https://${longestHost}/`),
  'with IPv4 addresses': (index) => padded(`https://9.9.9.${index}/`),
  'with IPv6 addresses': (index) => padded(`https://[2620:00fe:0000:0000:0000:0000:0000:${index.toString(16)}]/`),
};
const inTheClear = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('passwordSecretRef' in value)) return value;
  const { passwordSecretRef: _, ...user } = value;
  return { ...user, plain_text_passwd: 'x'.repeat(200) };
};
/** A Secret of its own for every source, user and pull, with a name as long as one may be, so that none can stand for all. */
const ownSecrets = (prefix: string): Change => {
  let index = 0;
  const next = () => `${prefix}-${index++}-`.padEnd(bounds.nameLength, 'x');
  return (value, key) => {
    if (key === 'imagePullSecrets') return (value as unknown[]).map(() => ({ name: next() }));
    if (typeof value !== 'object' || value === null) return value;
    if ('secretRef' in value) return { ...value, secretRef: next() };
    return 'passwordSecretRef' in value ? { ...value, passwordSecretRef: { name: next(), key: 'password' } } : value;
  };
};

const kinds: readonly Kind[] = ['VMDiskImage', 'DataSync', 'VirtualMachine', 'Workspace', 'WorkspaceTemplate'];

/** Without what no policy reads: networks and containers keep the CRD's own rules busy for a second. */
function slim(subject: Subject): Subject {
  const unread = new Set(['networks', 'containerClusters', 'volumes', 'interfaces', 'steps', 'deployRunner']);
  return JSON.parse(JSON.stringify(subject), (key, value: unknown) => (unread.has(key) ? undefined : value)) as Subject;
}

async function timed(measure: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await measure();
  return performance.now() - start;
}

const figure = (ms: number): string => `${ms.toFixed(0).padStart(4)} ms`;

for (const kind of kinds) {
  describe(`the largest legal ${kind}`, () => {
    const post = async (subject: Subject): Promise<void> =>
      create((await policyCluster()).connection(), pathOf(subject, 'collection'), subject);

    test('is accepted', () => post(placed(largest[kind])));

    // A DataSync has more sources than any other kind, judged by the same expressions: it stands for the others.
    const variants = Object.entries(urls).filter(([name]) => kind === 'DataSync' || name === 'as they are');
    for (const [name, url] of variants) {
      test(`is accepted, URLs ${name}`, async (t) => {
        const subject = slim(variant(kind, url));
        // Both once beforehand: the first request of a kind also builds what later ones share.
        await Promise.all([post(subject), judge(subject)]);
        const [withPolicies, without] = [await timed(() => post(subject)), await timed(() => judge(subject))];
        t.diagnostic(`largest ${kind}, URLs ${name}: accepted in ${figure(withPolicies)}, without policies ${figure(without)}`);
      });
    }

    test('is accepted when every source and every password changes, and every Secret is another', async (t) => {
      const connection = (await policyCluster()).connection();
      const subject = slim(variant(kind, urls['as they are']!, ownSecrets('old')));
      const { spec } = slim(variant(kind, (index) => padded(`https://9.9.9.9/${index}/`), ownSecrets('new')));
      await stored(t, subject);
      const label = await timed(() => edit(connection, pathOf(subject), { metadata: { labels: { a: 'b' } } }));
      const all = await timed(() => edit(connection, pathOf(subject), { spec }));
      t.diagnostic(`largest ${kind}: a label edited in ${figure(label)}, every source in ${figure(all)}`);
    });

    test('is refused in words when every source is internal', async () => {
      const subject = slim(variant(kind, () => padded('https://127.0.0.1/')));
      const sources = JSON.stringify(subject).split('"url":').length - 1;
      const words = new RegExp(
        `names the host "127\\.0\\.0\\.1", which is not public.*${sources > 1 ? `\\(and ${sources - 1} more\\)` : ''}`,
      );
      await assertRefused(post(subject), `terrain-${kind.toLowerCase()}-source`, words);
    });
  });
}

for (const kind of ['VirtualMachine', 'Workspace', 'WorkspaceTemplate'] as const) {
  test(`the largest legal ${kind} with every password in the clear is accepted with both warnings`, async () => {
    const connection = (await policyCluster()).connection();
    const subject = slim(variant(kind, urls['as they are']!, inTheClear));
    const query = { dryRun: 'All' };
    const { warnings } = await connection.exchange({ method: 'POST', path: pathOf(subject, 'collection'), query, body: subject });
    assert.equal(warnings.length, 2, warnings.join('\n'));
    assert.match(warnings[0]!, /user "user-0-x*"( of machine vm-0-x*)? has plain_text_passwd, .* \(and 15 more\)$/);
    assert.match(warnings[1]!, /user name "user-0-x*"( of machine vm-0-x*)? will be refused by Linux: .* \(and 15 more\)$/);
  });
}
