import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { defaultImageNamespace, emptyLedger, type Ledger } from '@terrain/api';
import { policyInForce, renderPolicy } from './policy.ts';
import { policyDefaults } from './policy-defaults.ts';

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

test('without the ConfigMap only what is a default is called one; the rest is in force until the operator has read that', () => {
  assert.equal(
    renderPolicy(policyInForce(ledger, undefined)),
    [
      'KEY              VALUE  FROM',
      'concurrency      "8"    before its removal',
      'retryLimit       "2"    default',
      'unreferencedTTL  ""     default',
      '! no ConfigMap sync-operator-policy gives concurrency any more, which the operator has not read yet: "8" is in force until it has, then the default "4". If this stays, look whether it runs.',
      '',
    ].join('\n'),
  );
});

test('a key that was removed is in force until the operator has read that; a ConfigMap it has read leaves defaults only', () => {
  const originIn = (version: string) => policyInForce(ledger, configMap(version, { retryLimit: '2' }))[0]?.origin;
  assert.deepEqual([originIn('9'), originIn('7')], ['removed', 'default']);
});

test('the defaults are those of the operator', () => {
  const file = resolve(import.meta.dirname, '../../../operator/src/policy/key.ts');
  const table = readFileSync(file, 'utf8').split('export const policyKeys')[1] ?? '';
  const read = [...table.matchAll(/^ {2}(\w+): \{\s*default: (?:'([^']*)'|(\w+)),/gm)].map(
    ([, key = '', text, name]): [string, string] => [
      key,
      text ?? (name === 'defaultImageNamespace' ? defaultImageNamespace : `unknown constant ${name}`),
    ],
  );
  assert.deepEqual([...policyDefaults], read);
});
