import type { Bench, BenchContext } from '../lib/bench.ts';
import { Stage } from './measure/stage.ts';
import { total, type Writes } from './measure/writes.ts';
import { calm, calmScenario, restarts } from './phase/calm.ts';
import { type Drained, drain } from './phase/drain.ts';
import { permanentFailure } from './phase/failure.ts';
import { floor } from './phase/floor.ts';
import { idle } from './phase/idle.ts';
import { refillFloor } from './phase/refill-floor.ts';
import { type DrainFloor, type Results, rowsOf } from './rows.ts';
import { type Sizes, sizesFrom } from './sizes.ts';

const instantScenario = { speed: 'instant' };
const kills = 5;

/**
 * The sync queue on a real API server with the simulated platform, against a bare client that does three writes per image. Each part gets a
 * cluster of its own, so that none works against what another left behind. Sizes come from the environment: see sizesFrom.
 */
export const images: Bench = {
  name: 'images',
  summary: 'the sync queue: slot use, refill, order, writes, throughput against bare requests, idle, failure (eight minutes)',
  async run(context) {
    const sizes = sizesFrom(process.env);
    const counts = sizes.large === undefined ? [sizes.drain] : [sizes.drain, sizes.large];
    const queue = await measureQueue(sizes, context);
    const floors: DrainFloor[] = [];
    const drains: Drained[] = [];
    for (const count of counts) {
      floors.push(await measureFloor(count, { ...context, isSmallest: count === sizes.drain }));
      drains.push(await measureDrain(count, context));
    }
    const idles = [];
    for (const queued of sizes.large === undefined ? [sizes.queued] : [sizes.queued, sizes.large])
      idles.push({ queued, requestsPerMinute: await measureIdle(queued, sizes, context) });
    return rowsOf({ ...queue, floors, drains, idle: idles });
  },
};

type Queue = Pick<Results, 'calmCount' | 'refillFloorMs' | 'calm' | 'restarts' | 'failure'>;

async function measureQueue({ calm: count }: Sizes, { signal, log }: BenchContext): Promise<Queue> {
  await using stage = await Stage.open(signal);
  const { companion, egressUrl } = await stage.simulator(calmScenario);
  await using _simulator = companion;
  const refillFloorMs = await refillFloor(stage);
  log(`refill floor: ${refillFloorMs.toFixed(1)} ms`);
  const calmly = await calm(stage, count);
  log(`${count} images of 2 s: ${calmly.seconds.toFixed(1)} s; ${told(calmly.writes)}`);
  const restarted = await restarts(stage, Math.max(20, Math.round(count / 5)), kills);
  log(`with ${kills} kills: most slots ${restarted.mostSlots}`);
  const failure = await permanentFailure(stage, egressUrl);
  log(`404: Failed after ${failure.secondsToFailed.toFixed(2)} s`);
  return { calmCount: count, refillFloorMs, calm: calmly, restarts: restarted, failure };
}

async function measureFloor(
  count: number,
  { signal, log, isSmallest }: BenchContext & { readonly isSmallest: boolean },
): Promise<DrainFloor> {
  await using stage = await Stage.open(signal);
  await using _simulator = (await stage.simulator(instantScenario)).companion;
  const blind = await floor(stage, count, 'blind');
  log(`floor, ${count} images: ${blind.imagesPerSecond.toFixed(0)}/s`);
  if (!isSmallest) return { count, blind };
  const following = await floor(stage, count, 'following');
  log(`floor that follows, ${count} images: ${following.imagesPerSecond.toFixed(0)}/s`);
  return { count, blind, following };
}

async function measureDrain(count: number, { signal, log }: BenchContext): Promise<Drained> {
  await using stage = await Stage.open(signal);
  await using _simulator = (await stage.simulator(instantScenario)).companion;
  const drained = await drain(stage, count);
  const [start, end] = [drained.startBytes, drained.residentBytes].map((bytes) => (bytes / 2 ** 20).toFixed(0));
  log(
    `ours, ${count} images: ${drained.imagesPerSecond.toFixed(0)}/s; ${start} MiB before, ${end} MiB after; ${told(drained.writes)}`,
  );
  return drained;
}

async function measureIdle(queued: number, { idleSeconds }: Sizes, { signal, log }: BenchContext): Promise<number> {
  await using stage = await Stage.open(signal);
  await using _simulator = (await stage.simulator(instantScenario)).companion;
  const requests = await idle(stage, queued, idleSeconds);
  log(`idle with ${queued} queued: ${requests} requests a minute`);
  return requests;
}

function told(writes: Writes): string {
  const what = [...writes.accepted].map(([write, count]) => `${count} ${write}`).join(', ');
  return `${total(writes)} writes: ${what}`;
}
