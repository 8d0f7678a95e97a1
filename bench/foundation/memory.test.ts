import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryRows, residentBytesIn } from './memory.ts';

test('every process is listed, with what the control plane takes of all', () => {
  const taking = {
    'terrain up': 64,
    etcd: 32,
    'kube-apiserver': 256,
    'kube-controller-manager': 8,
    'kube-scheduler': 4,
    operator: 96,
  };
  const processes = Object.entries(taking).map(([name, value]) => ({ name, residentBytes: value * 2 ** 20 }));
  assert.deepEqual(
    memoryRows(processes).map(({ name, value, unit }) => `${name}: ${value} ${unit}`),
    [
      'idle memory of terrain up: 64 MiB',
      'idle memory of etcd: 32 MiB',
      'idle memory of kube-apiserver: 256 MiB',
      'idle memory of kube-controller-manager: 8 MiB',
      'idle memory of kube-scheduler: 4 MiB',
      'idle memory of operator: 96 MiB',
      'idle memory of the control plane: 300 MiB',
      'idle memory of all: 460 MiB',
    ],
  );
});

test('a process that cannot be measured spoils the sum instead of making it smaller', () => {
  assert.deepEqual(
    memoryRows([{ name: 'etcd', residentBytes: 2 ** 20 }, { name: 'gone' }]).map(({ value }) => value),
    [1, Number.NaN, 1, Number.NaN],
  );
});

test('resident memory is read as the kernel writes it', () => {
  assert.equal(residentBytesIn('Name:\tnode\nVmHWM:\t  9 kB\nVmRSS:\t  2048 kB\nThreads:\t7\n'), 2 ** 21);
  assert.equal(residentBytesIn('Name:\tkthreadd\n'), undefined);
});
