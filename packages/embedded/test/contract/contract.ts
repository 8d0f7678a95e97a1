/**
 * What CDI and a storage driver do, as far as Terrain relies on it. The same cases run against the real ones and against the simulator, so that the
 * two cannot drift apart.
 */
import { after, before, describe, test } from 'node:test';
import type { Connection } from '@terrain/runtime';
import { PlatformRecord } from '../record.ts';
import { failureCases } from './failure-cases.ts';
import { importCases } from './import-cases.ts';
import { type Cases, Scene, type World } from './scene.ts';
import { snapshotCases } from './snapshot-cases.ts';

const timeout = 600_000;
const cases: Cases = { ...importCases, ...failureCases, ...snapshotCases };

/** A record of all that the cases look at. */
export async function recordOf(connection: Connection): Promise<PlatformRecord> {
  const recorded = ['DataVolume', 'PersistentVolumeClaim', 'Pod', 'VolumeSnapshot', 'Event'] as const;
  const record = new PlatformRecord({ connection, kinds: recorded, patienceMs: 240_000 });
  await record.listen();
  return record;
}

/** `atOnce` is how many cases a platform is given at the same time. */
export function contract(platform: string, atOnce: number, open: () => Promise<World>): void {
  describe(`what Terrain relies on, of ${platform}`, { timeout: 3 * timeout, concurrency: atOnce }, () => {
    let world: World;
    let scene: Scene;
    before(
      async () => {
        world = await open();
        scene = new Scene(world);
      },
      { timeout },
    );
    after(() => world?.[Symbol.asyncDispose](), { timeout: 180_000 });

    for (const [sentence, play] of Object.entries(cases)) test(sentence, { timeout }, () => play(scene));
  });
}
