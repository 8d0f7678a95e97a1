import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, type Ledger } from '@terrain/api';
import { policyInForce, renderPolicy } from './policy.ts';

const ledger: Ledger = {
  ...emptyLedger,
  policyResourceVersion: '7',
  policy: new Map([
    ['concurrency', '8'],
    ['retryLimit', '2'],
    ['unreferencedTTL', ''],
  ]),
};
const configMap = (resourceVersion: string, data: Record<string, string>) => ({ metadata: { resourceVersion }, data });

test('each value says where it comes from; a bad one is shown with the one in force', () => {
  const values = policyInForce(ledger, configMap('7', { concurrency: ' 8\n', retryLimit: 'many\n', colour: 'red' }));
  assert.equal(
    renderPolicy(values),
    [
      'KEY              VALUE  FROM',
      'concurrency      "8"    ConfigMap sync-operator-policy',
      'retryLimit       "2"    last good value',
      'unreferencedTTL  ""     default',
      'colour           -      no such key',
      '! the ConfigMap sync-operator-policy says "many" for retryLimit, which breaks the rule for it: "2" stays in force until it is corrected; its events name the rule.',
      '! colour in the ConfigMap sync-operator-policy is not a key of the sync policy: correct its name, or remove it.',
      '',
    ].join('\n'),
  );
});

test('a change the operator has not read yet is not called bad', () => {
  const values = policyInForce(ledger, configMap('9', { concurrency: '16', colour: 'red' }));
  assert.deepEqual(
    values.map(({ key, value, origin, refused }) => [key, value, origin, refused]),
    [
      ['concurrency', '8', 'pending', '16'],
      ['retryLimit', '2', 'default', null],
      ['unreferencedTTL', '', 'default', null],
      ['colour', null, 'pending', 'red'],
    ],
  );
});

test('without the ConfigMap all values are defaults', () => {
  assert.ok(policyInForce(ledger, undefined).every(({ origin }) => origin === 'default'));
});
