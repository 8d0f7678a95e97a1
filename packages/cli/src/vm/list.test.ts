import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aMachine, readyStatus } from '../testing/machine.ts';
import { addressOf } from './address.ts';
import { renderList } from './list.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const view = { nowMs, isWide: false, hasNamespaces: false };
const spec = {
  resources: { cpu: '2', memory: '2Gi' },
  interfaces: [{ network: 'control', ipAddress: '10.10.0.161/24' }, { network: 'edge' }],
  vmDiskImageRef: { name: 'debian', namespace: 'farm' },
};
const interfaces = [
  { network: 'control', ipAddress: '10.10.0.161/24', observedAddress: '10.10.0.161' },
  { network: 'edge', observedAddress: '172.27.0.9' },
];

test('a row says what a person looks for', () => {
  const machines = [
    aMachine('web', { spec, status: { ...readyStatus, interfaces } }),
    aMachine('new', { spec }),
    aMachine('gone', { metadata: { deletionTimestamp: '2026-01-01T00:59:00Z' } }),
    aMachine('changed', { metadata: { generation: 2 }, status: readyStatus }),
  ];
  assert.equal(
    renderList(machines, view),
    [
      'NAME     PHASE     STATE    ADDRESS      AGE  MESSAGE',
      'web      Ready     Running  10.10.0.161  60m  the machine runs',
      'new      -         -        10.10.0.161  60m  the operator has not seen it yet',
      'gone     Deleting  -        -            60m  the operator has not seen it yet',
      'changed  Ready     Running  -            60m  the operator has not seen its latest change yet; before that: the machine runs',
      '',
    ].join('\n'),
  );
});

test('wide adds size, image, disk and every network; all namespaces add theirs', () => {
  const text = renderList([aMachine('web', { spec, status: { ...readyStatus, interfaces } })], {
    ...view,
    isWide: true,
    hasNamespaces: true,
  });
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['NAMESPACE', 'NAME', 'PHASE', 'STATE', 'ADDRESS', 'AGE', 'CPU', 'MEMORY', 'IMAGE', 'ROOT DISK', 'NETWORKS', 'MESSAGE'],
      [
        'lab',
        'web',
        'Ready',
        'Running',
        '10.10.0.161',
        '60m',
        '2',
        '2Gi',
        'farm/debian',
        'web-1-root',
        'control=10.10.0.161,edge=172.27.0.9',
        'the machine runs',
      ],
    ],
  );
});

const addresses: Record<string, { given: Parameters<typeof addressOf>[0]; want: string }> = {
  'asked for and not reported yet': { given: { ipAddress: '10.0.0.5/24' }, want: '10.0.0.5' },
  'as asked for': { given: { ipAddress: '10.0.0.5/24', observedAddress: '10.0.0.5' }, want: '10.0.0.5' },
  'another than asked for': { given: { ipAddress: '10.0.0.5/24', observedAddress: '10.9.9.9' }, want: '10.0.0.5 (is 10.9.9.9)' },
  'not asked for': { given: { observedAddress: '10.9.9.9' }, want: '10.9.9.9' },
  unknown: { given: {}, want: '-' },
};
for (const [name, { given, want }] of Object.entries(addresses))
  test(`an address that is ${name} is shown as ${want}`, () => assert.equal(addressOf(given), want));
