import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { emptyLedger, resolveInstall } from '@terrain/api';
import { assertRefused, create, edit, policyCluster, stored, withLedger } from './policy-cluster.ts';
import { edits } from './policy-edits-cases.ts';
import { aWorkspace, labNamespace, pathOf, team } from './policy-objects.ts';
import { aPerson, grant, writers } from './policy-people.ts';
import { borrowings, user } from './policy-rights-cases.ts';

const policyOf = (rule: string): string => rule.split('/')[0]!;

/** What each validation asks for, to tell from the words which one refused. */
const asked: Readonly<Record<string, RegExp>> = {
  secrets: /needs the right to get (all )?Secret.*is sent to the source/,
  certificates: /needs the right to get (all )?ConfigMap/,
  useImage: /needs the right to use VMDiskImage/,
  useImages: /needs the right to use (all )?VMDiskImage/,
  createImage: /needs the right to create VMDiskImages/,
  createImages: /needs the right to create VMDiskImages/,
  pullSecrets: /needs the right to get (all )?Secret.*a pull secret holds/,
  passwordSecrets: /needs the right to get (all )?Secret.*a password is taken from it/,
};

describe('nobody borrows the operator’s rights', () => {
  for (const [name, { rule, subject, right, has, words }] of Object.entries(borrowings)) {
    test(`${name}: refused without the right, accepted with it`, async () => {
      const cluster = await policyCluster();
      const person = await aPerson(cluster, has);
      const attempt = () => create(person.connection, pathOf(subject, 'collection'), subject);
      const sentence = new RegExp(`denied request: ${person.name} needs the right to ${words.source}`);
      await assertRefused(attempt(), policyOf(rule), sentence);
      await grant(cluster, person, right);
      await attempt();
    });
  }
});

for (const [kind, { existing, harmless, refused }] of Object.entries(edits)) {
  describe(`somebody without further rights edits a ${kind}`, () => {
    const endings: (() => Promise<void>)[] = [];
    before(() => stored({ after: (end) => endings.push(end) }, existing));
    after(() => Promise.all(endings.map((end) => end())));
    const attempt = async (body: object): Promise<void> => {
      const { connection } = await aPerson(await policyCluster());
      await edit(connection, pathOf(existing), body);
    };
    for (const [name, body] of Object.entries(harmless)) {
      test(`${name}: accepted`, () => attempt(body));
    }
    for (const [name, { patch: body, rule }] of Object.entries(refused)) {
      test(`${name}: refused`, () => assertRefused(attempt(body), policyOf(rule), asked[rule.split('/')[1]!]!));
    }
  });
}

test('in the namespace of a Workspace that exists, a Role is enough to take a password from there', async (t) => {
  const cluster = await policyCluster();
  const existing = aWorkspace([{}]);
  await stored(t, existing);
  const person = await aPerson(cluster);
  const { vms } = aWorkspace([{ users: [user('me', 'passwords')] }]).spec as { vms: object[] };
  const attempt = () => edit(person.connection, pathOf(existing), { spec: { vms } });
  await assertRefused(
    attempt(),
    'terrain-workspace-rights',
    /get Secret workspace-lab\/passwords, because a password is taken from it\. Ask for a Role and a RoleBinding there, or name a Secret you may read\./,
  );
  await grant(cluster, person, { verb: 'get', group: '', resource: 'secrets', namespace: labNamespace, name: 'passwords' });
  await attempt();
});

describe('the operator', () => {
  const operator = async () => (await policyCluster()).connectionAs(resolveInstall({}).operatorUser, [writers]);
  const exempt = ['VMDiskImage', 'VirtualMachine', 'Workspace'];
  for (const [name, { rule, subject }] of Object.entries(borrowings)) {
    const attempt = async () => create(await operator(), pathOf(subject, 'collection'), subject);
    if (exempt.includes(subject.kind)) {
      test(`passes on what somebody was asked about: ${name}`, async () => void (await attempt()));
    } else {
      test(`has no business with ${name}`, () =>
        assertRefused(attempt(), policyOf(rule), /:terrain-operator needs the right to/));
    }
  }
});

test('images of Workspaces are looked for where the sync policy in force says', async () => {
  const cluster = await policyCluster();
  const person = await aPerson(cluster, [{ verb: 'use', group: 'pelotech.ot', resource: 'vmdiskimages', namespace: team }]);
  const subject = aWorkspace([{}]);
  const attempt = () => create(person.connection, pathOf(subject, 'collection'), subject);
  await withLedger(
    { ...emptyLedger, policy: new Map([['imageNamespace', team]]) },
    (inForce) => (inForce ? attempt() : assert.rejects(attempt())),
    () => attempt(),
  );
  await assertRefused(attempt(), 'terrain-workspace-rights', /use VMDiskImage vmdi-farm\/demo-vmdi/);
});
