import type { Bench, Row } from '../lib/bench.ts';
import { RealStand } from './stand.ts';

const mebibyte = 1024 ** 2;
const rounds = 3;

/** Each of ours right after one of the floor, so that both get the same share of the machine whatever else it does. */
export const real: Bench = {
  name: 'real',
  summary: 'a 100 MB import with the real CDI against CDI alone, snapshot, clone, memory (root; minutes)',
  async run({ signal, log }) {
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
      { name: 'import of 100 MB, VMDiskImage to its snapshot being asked for', value: median(ours), unit: 's' },
      { name: 'ours / CDI alone', value: median(ours) / median(floor), unit: 'ratio', goal: 1.1 },
      { name: 'snapshot', value: median(snapshots), unit: 's' },
      { name: 'clone', value: median(clones), unit: 's' },
      ...stand.memory().map(([name, bytes]): Row => ({ name: `memory of ${name}`, value: bytes / mebibyte, unit: 'MB' })),
    ];
  },
};

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
