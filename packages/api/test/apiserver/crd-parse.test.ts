/** Our own reading of quantities and durations, held to the API server's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationMs, parseQuantityBytes } from '@terrain/api';
import { aVMDiskImage, aWorkspaceTemplate } from '@terrain/api/testing';
import { ApiError, type KubeObject } from '@terrain/runtime';
import { withChanges } from './crd-change.ts';
import { judge } from './crd-cluster.ts';

async function isAccepted(object: KubeObject): Promise<boolean> {
  try {
    await judge(object);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return false;
    throw error;
  }
}

const quantities = [
  ...['', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'ki', 'gi', 'GB', 'B'].map(
    (unit) => `7${unit}`,
  ),
  ...[
    '0',
    '-1',
    '+1',
    '1.5Gi',
    '.5Gi',
    '5.Gi',
    '.',
    '',
    ' 1',
    '1 ',
    '1 Gi',
    '1e3',
    '1E3',
    '1e-3',
    '1E+3',
    '1e3Gi',
    '0x10',
    '1_000',
    '１',
    'NaN',
  ],
];

test('a quantity we can read is one the API server accepts, and the reverse', async () => {
  for (const diskSize of quantities) {
    const bytes = parseQuantityBytes(diskSize);
    const accepted = await isAccepted(withChanges(aVMDiskImage(), { 'spec.diskSize': diskSize }));
    assert.equal(bytes !== undefined && bytes > 0n, accepted, JSON.stringify(diskSize));
  }
});

const durations = [
  '90s',
  '30m',
  '1h30m',
  '500ms',
  '2d',
  '1.5h',
  '',
  '0s',
  '0h0m',
  '-1s',
  '+1s',
  '1',
  '1h 30m',
  '1000000s',
  '999999h',
  '1us',
  '1H',
  '1m1m',
  '1h\n',
];

test('a duration we can read is one the API server accepts, and the reverse', async () => {
  for (const ttl of durations) {
    const milliseconds = parseDurationMs(ttl);
    const accepted = await isAccepted(withChanges(aWorkspaceTemplate(), { 'spec.defaults': { lifecycle: { ttl } } }));
    assert.equal(milliseconds !== undefined && milliseconds > 0, accepted, JSON.stringify(ttl));
  }
});

const pairs: readonly [string, string][] = [
  ['1h', '60m'],
  ['59m59s', '1h'],
  ['3601s', '1h'],
  ['1000ms', '1s'],
  ['999999h', '999998h999m'],
];

test('of two durations we and the API server call the same one longer', async () => {
  for (const [ttl, maxTtl] of pairs) {
    const accepted = await isAccepted(withChanges(aWorkspaceTemplate(), { 'spec.defaults': { lifecycle: { ttl, maxTtl } } }));
    assert.equal(parseDurationMs(ttl)! <= parseDurationMs(maxTtl)!, accepted, `${ttl} <= ${maxTtl}`);
  }
});
