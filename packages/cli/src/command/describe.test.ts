import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterStatus } from '@terrain/embedded';
import { describeChecks } from './doctor.ts';
import { describeStatus } from './status.ts';

const running: ClusterStatus = {
  home: '/h',
  state: 'running',
  problem: undefined,
  pid: 7,
  port: 6443,
  kubeconfig: '/h/kubeconfig',
  kubernetes: '1.36.3',
  processes: [
    { name: 'etcd', pid: 8, residentBytes: 45 * 1024 ** 2 },
    { name: 'kwok', pid: 9, residentBytes: undefined },
  ],
};

test('a cluster that is not well says why in its first line', () => {
  const text = describeStatus({ ...running, state: 'unhealthy', problem: 'etcd (process 8) no longer runs.' });
  assert.equal(text.split('\n')[0], 'Cluster     unhealthy: etcd (process 8) no longer runs.');
});

test('a running cluster shows where it is and what each process costs', () => {
  assert.equal(
    describeStatus(running),
    [
      'Cluster     running',
      'Kubernetes  1.36.3 at https://127.0.0.1:6443',
      'Home        /h',
      'Kubeconfig  /h/kubeconfig',
      '',
      'PROCESS  PID  MEMORY',
      'etcd     8    45 MiB',
      'kwok     9    unknown',
      '',
    ].join('\n'),
  );
});

test('a check that fails is followed by what to do', () => {
  const text = describeChecks([
    { name: 'go', state: 'fail', found: 'not found', fix: 'Install Go 1.26 or newer.' },
    { name: 'disk', state: 'ok', found: '70 GB free', fix: undefined },
  ]);
  assert.equal(text, '✗ go    not found. Install Go 1.26 or newer.\n✓ disk  70 GB free\n');
});
