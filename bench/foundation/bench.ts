import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterStatus, ensureBinaries, stopCluster } from '@terrain/embedded';
import { newTestCluster } from '@terrain/embedded/testing';
import type { Bench, BenchContext, Row } from '../lib/bench.ts';
import { median, timed } from '../lib/run-command.ts';
import { startByHand } from './by-hand.ts';
import { memoryRows, residentBytesIn } from './memory.ts';

const root = join(import.meta.dirname, '../..');
const terrain = join(root, 'packages/cli/src/terrain.ts');
/** Printed when the API is ready, Terrain is installed and the examples are accepted; waiting for their images is not counted. */
const readyWords = 'objects accepted';
const rounds = 5;
/** Long enough for caches to be filled and first garbage to be collected. */
const settleMs = 30_000;

export const foundation: Bench = {
  name: 'foundation',
  summary: 'warm starts through npm, a throw-away cluster against starting it by hand, idle memory',
  async run(context) {
    const binaries = await ensureBinaries(['core', 'sim'], { signal: context.signal });
    const rows = [...(await throwAway(binaries.path('etcd'), binaries.path('kube-apiserver'), context))];
    const home = mkdtempSync(join(tmpdir(), 'terrain-bench-'));
    try {
      rows.push(...(await warmStarts(home, context)));
      rows.push(...(await idleMemory(home, context)));
    } finally {
      await stopCluster(home);
      rmSync(home, { recursive: true, force: true });
    }
    return rows;
  },
};

/** Both kinds in turn, so that other work on the machine slows both alike. */
async function throwAway(etcd: string, apiServer: string, { log }: BenchContext): Promise<Row[]> {
  const byHand: number[] = [];
  const ours: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    byHand.push(await startByHand(etcd, apiServer));
    const started = performance.now();
    const cluster = await newTestCluster();
    ours.push((performance.now() - started) / 1000);
    await cluster.stop();
    log(`throw-away cluster, round ${round}: by hand ${byHand.at(-1)?.toFixed(2)} s, ours ${ours.at(-1)?.toFixed(2)} s`);
  }
  return [
    { name: 'two processes started by hand, ready', value: median(byHand), unit: 's' },
    { name: 'throw-away test cluster, ready', value: median(ours), unit: 's' },
    { name: 'throw-away test cluster / by hand', value: median(ours) / median(byHand), unit: 'ratio', goal: 1.3 },
  ];
}

async function warmStarts(home: string, { signal, log }: BenchContext): Promise<Row[]> {
  // As a person does it, with npm and the look at what is installed.
  const start = () =>
    timed('npm', ['start', '--', '--home', home, '--exit-when-ready'], { cwd: root, until: readyWords, signal });
  log('npm start with an empty home');
  const empty = await start();
  log('npm start with data kept');
  const kept = await start();
  return [
    { name: 'npm start, warm, empty home, examples accepted', value: empty, unit: 's', goal: 25 },
    { name: 'npm start, warm, data kept, examples accepted', value: kept, unit: 's', goal: 15 },
  ];
}

async function idleMemory(home: string, { signal, log }: BenchContext): Promise<Row[]> {
  await timed(process.execPath, [terrain, 'up', '--home', home, '--detach'], { signal });
  log(`memory after ${settleMs / 1000} s of doing nothing`);
  await delay(settleMs, undefined, { signal });
  const { processes, pid } = await clusterStatus(home);
  // The status lists what it started, and itself by number only.
  const itself = residentBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return memoryRows([{ name: 'terrain up', residentBytes: itself }, ...processes]);
}
