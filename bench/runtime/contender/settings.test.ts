import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromEnvironment, type Settings, toEnvironment } from './settings.ts';

const settings: Settings = { namespace: 'a', workers: 8, expect: 100, kubeconfig: '/k', credentialsFile: '/c' };

test('what the bench writes is what a contender reads', () => {
  assert.deepEqual(fromEnvironment(toEnvironment(settings)), settings);
  assert.deepEqual(fromEnvironment(toEnvironment({ ...settings, lease: 'l' })), { ...settings, lease: 'l' });
});

test('a contender that was started by hand says what is missing', () => {
  const { BENCH_WORKERS: _, ...rest } = toEnvironment(settings);
  assert.throws(() => fromEnvironment(rest), /BENCH_WORKERS is not set/);
});
