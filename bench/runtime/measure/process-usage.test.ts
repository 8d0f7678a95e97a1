import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsage } from './process-usage.ts';

const status = 'Name:\tnode\nVmPeak:\t  999 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nThreads:\t11\n';

test('time in user space and in the kernel are added up', () => {
  const stat = '4711 (a) b) R 1 4711 4711 0 -1 4194304 2000 0 10 0 150 25 7 3 20 0 11 0 12345 1000000 50';
  assert.deepEqual(parseUsage(stat, status), { cpuSeconds: 1.75, residentBytes: 204_800, peakBytes: 307_200 });
});
