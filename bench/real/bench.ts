import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { groups, realGroupNames } from '@terrain/embedded';
import type { Bench, BenchContext, Row } from '../lib/bench.ts';
import { median, timed } from '../lib/run-command.ts';
import { RealStand } from './stand.ts';

const mebibyte = 1024 ** 2;
const rounds = 3;
const terrain = resolve(import.meta.dirname, '../../packages/cli/src/terrain.ts');

export const real: Bench = {
  name: 'real',
  summary: 'a 100 MB import with the real CDI against CDI alone, snapshot, clone, memory, `up --real` (root; 8 minutes)',
  async run(context) {
    return [...(await imports(context)), ...(await starts(context)), ...builds()];
  },
};

/** Each of ours right after one of the floor, so that both get the same share of the machine whatever else it does. */
async function imports({ signal, log }: BenchContext): Promise<Row[]> {
  log('starting a real node with CDI');
  await using stand = await RealStand.start(signal, 100 * mebibyte);
  const floor: number[] = [];
  const ours: number[] = [];
  const snapshots: number[] = [];
  const clones: number[] = [];
  for (let round = 0; round < rounds; round++) {
    log(`round ${round + 1} of ${rounds}`);
    floor.push(await stand.importByCdi(`floor-${round}`));
    const image = await stand.importByTerrain(`ours-${round}`);
    ours.push(image.importSeconds);
    snapshots.push(image.snapshotSeconds);
    clones.push(await stand.clone(`clone-${round}`, image.snapshot));
  }
  return [
    { name: 'import of 100 MB, CDI alone', value: median(floor), unit: 's' },
    { name: 'import of 100 MB, as a VMDiskImage', value: median(ours), unit: 's' },
    { name: 'ours / CDI alone', value: median(ours) / median(floor), unit: 'ratio', goal: 1.1 },
    { name: 'snapshot, to the image being Ready', value: median(snapshots), unit: 's' },
    { name: 'clone', value: median(clones), unit: 's' },
    ...stand.memory().map(([name, bytes]): Row => ({ name: `memory of ${name}`, value: bytes / mebibyte, unit: 'MB' })),
  ];
}

/** With all programs in the cache: into an empty home, and again with the data of that. */
async function starts({ signal, log }: BenchContext): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-bench-'));
  const start = (): Promise<number> =>
    timed(process.execPath, [terrain, 'up', '--real', '--home', join(directory, 'home'), '--exit-when-ready'], {
      signal,
      until: '✓ Examples: all images',
    });
  try {
    log('`up --real` into an empty home');
    const empty = await start();
    log('`up --real` again');
    const again = await start();
    return [
      { name: 'up --real to all examples Ready, empty home', value: empty, unit: 's' },
      { name: 'up --real to all examples Ready, with their data', value: again, unit: 's' },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Not measured here: a cold build takes what the figures say, and nobody's caches are emptied for it. */
function builds(): Row[] {
  return (['core', ...realGroupNames] as const).map((name) => ({
    name: `cold build of ${name}, measured by hand`,
    value: groups[name].coldBuildMs / 1000,
    unit: 's',
  }));
}
