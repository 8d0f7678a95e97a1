import { join } from 'node:path';
import { type FloorSettings, toEnvironment } from '../floor/settings.ts';
import { Companion } from '../measure/companion.ts';
import type { Stage } from '../measure/stage.ts';
import { drainLimit, parallel } from './drain.ts';

export interface Floor {
  readonly imagesPerSecond: number;
  readonly cpuSecondsPerThousand: number;
}

/** A bare client on images nobody else works on. The time ends with its last status. */
export async function floor(stage: Stage, count: number, mode: FloorSettings['mode']): Promise<Floor> {
  const namespace = await stage.namespace();
  await stage.createImages(namespace, count);
  const settings = { namespace, credentialsFile: stage.credentialsFile(), mode, parallel, slots: drainLimit };
  const main = join(import.meta.dirname, '../floor/main.ts');
  const { line } = await Companion.start('floor', [main], 'floor {', toEnvironment(settings));
  const { seconds, cpuSeconds } = JSON.parse(line.slice('floor '.length)) as { seconds: number; cpuSeconds: number };
  // What it has set in motion must not burden whoever is measured next.
  await using chronicle = await stage.chronicle(namespace);
  await chronicle.until('the last snapshot', 300_000, () => chronicle.readySnapshots === count);
  return { imagesPerSecond: count / seconds, cpuSecondsPerThousand: (cpuSeconds / count) * 1000 };
}
