import { join } from 'node:path';
import { type FloorSettings, toEnvironment } from '../floor/settings.ts';
import { Companion } from '../measure/companion.ts';
import type { Stage } from '../measure/stage.ts';
import { drainLimit, parallel } from './drain.ts';

export interface Floor {
  /** Until the last of its own writes. */
  readonly writtenPerSecond: number;
  /** Until the platform behind it has done its part as well: every snapshot is ready and every status written, which is where the operator ends too. */
  readonly imagesPerSecond: number;
  readonly cpuSecondsPerThousand: number;
}

/** A bare client on images nobody else works on. */
export async function floor(stage: Stage, count: number, mode: FloorSettings['mode']): Promise<Floor> {
  const namespace = await stage.namespace();
  await stage.createImages(namespace, count);
  const settings = { namespace, credentialsFile: stage.credentialsFile(), mode, parallel, slots: drainLimit };
  const main = join(import.meta.dirname, '../floor/main.ts');
  await using chronicle = await stage.chronicle(namespace);
  const patienceMs = 120_000 + count * 200;
  const { line } = await Companion.start('floor', [main], 'floor {', toEnvironment(settings), patienceMs);
  const { seconds, cpuSeconds } = JSON.parse(line.slice('floor '.length)) as { seconds: number; cpuSeconds: number };
  const writtenAt = performance.now();
  const readyAt = await chronicle.until('the last snapshot', patienceMs, () => chronicle.readySnapshots === count);
  const endSeconds = seconds + Math.max(0, readyAt - writtenAt) / 1000;
  return {
    writtenPerSecond: count / seconds,
    imagesPerSecond: count / endSeconds,
    cpuSecondsPerThousand: (cpuSeconds / count) * 1000,
  };
}
