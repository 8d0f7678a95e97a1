import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveInstall } from '@terrain/api';
import { stringify } from 'yaml';
import { policyCluster } from './policy-cluster.ts';
import { aMachine, pathOf } from './policy-objects.ts';
import { warned } from './policy-warnings-cases.ts';

describe('what is unwise is accepted with a warning', () => {
  for (const [name, { subject, rules, words }] of Object.entries(warned)) {
    test(name, async () => {
      const connection = (await policyCluster()).connection();
      const query = { dryRun: 'All' };
      const { warnings } = await connection.exchange({
        method: 'POST',
        path: pathOf(subject, 'collection'),
        query,
        body: subject,
      });
      assert.deepEqual(
        warnings,
        words.map((sentence, n) => {
          const policy = rules[n]?.split('/')[0];
          return `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}': ${sentence}`;
        }),
      );
    });
  }

  test('the operator is told nothing', async () => {
    const { operatorUser } = resolveInstall({});
    const operator = (await policyCluster()).connectionAs(operatorUser, ['system:masters']);
    const subject = aMachine({ users: [{ name: 'demo user', plain_text_passwd: 'demo-pwd' }] });
    const query = { dryRun: 'All' };
    const { warnings } = await operator.exchange({ method: 'POST', path: pathOf(subject, 'collection'), query, body: subject });
    assert.deepEqual(warnings, []);
  });

  test('kubectl shows it to people', async () => {
    const cluster = await policyCluster();
    const subject = aMachine({ users: [{ name: 'me', plain_text_passwd: 'demo-pwd' }] });
    const { code, stderr } = await cluster.kubectlWithInput(stringify(subject), 'apply', '--dry-run=server', '-f', '-');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Warning: .*user "me" has plain_text_passwd/);
    assert.doesNotMatch(stderr, /demo-pwd/);
  });
});
