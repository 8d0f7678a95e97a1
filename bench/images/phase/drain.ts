import type { Stage } from '../measure/stage.ts';
import { countAnswers, total, type Writes, writesBetween } from '../measure/writes.ts';

export const drainLimit = 100;
/** Requests of the floor at the same time, and workers of the operator by default. */
export const parallel = 32;

export interface Drained {
  readonly count: number;
  readonly seconds: number;
  readonly imagesPerSecond: number;
  readonly cpuSecondsPerThousand: number;
  readonly peakBytes: number;
  readonly residentBytes: number;
  readonly writes: Writes;
  readonly writesPerImage: number;
  readonly eventsPerImage: number;
  readonly mostSlots: number;
}

/**
 * Instant images that wait for the operator when the limit rises from 0. Time and CPU count from that moment to the last image that succeeded:
 * the same stretch as the floor's, from knowing all images to the last status.
 */
export async function drain(stage: Stage, count: number): Promise<Drained> {
  const namespace = await stage.namespace();
  await stage.setLimit(0);
  await using operator = await stage.operator();
  await stage.createImages(namespace, count);
  await using chronicle = await stage.chronicle(namespace);
  const patienceMs = 120_000 + count * 200;
  await operator.process.during(
    chronicle.until('a place for every image', patienceMs, () => chronicle.countOf('Queued') >= count),
  );
  const before = await countAnswers(stage.api);
  const { cpuSeconds } = operator.process.usage;
  const startedAt = performance.now();
  await stage.setLimit(drainLimit);
  const endedAt = await operator.process.during(
    chronicle.until('the last image', patienceMs, () => chronicle.countOf('Succeeded') === count),
  );
  const usedSeconds = operator.process.usage.cpuSeconds - cpuSeconds;
  await chronicle.until('free slots', patienceMs, () => chronicle.slots.at(-1)?.level === 0);
  const { peakBytes, residentBytes } = operator.process.usage;
  const writes = writesBetween(before, await countAnswers(stage.api));
  const seconds = (endedAt - startedAt) / 1000;
  return {
    count,
    seconds,
    imagesPerSecond: count / seconds,
    cpuSecondsPerThousand: (usedSeconds / count) * 1000,
    peakBytes,
    residentBytes,
    writes,
    // The first status, which gives the place in the queue, was written before the limit rose.
    writesPerImage: total(writes) / count + 1,
    eventsPerImage: (await stage.events(namespace)) / count,
    mostSlots: Math.max(...chronicle.slots.map(({ level }) => level)),
  };
}
