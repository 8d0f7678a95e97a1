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
  /** Resident when its caches were complete, before any work. */
  readonly startBytes: number;
  readonly residentBytes: number;
  readonly writes: Writes;
  readonly writesPerImage: number;
  readonly eventsPerImage: number;
  readonly mostSlots: number;
  readonly requestsPerImage: number;
  readonly passesPerImage: number;
}

/**
 * Instant images that wait for the operator when it starts. Time and CPU count from the moment its caches are complete to the last image that
 * succeeded: the same stretch as the floor's, from knowing all images to the last status. Writes are all it ever does.
 */
export async function drain(stage: Stage, count: number): Promise<Drained> {
  const namespace = await stage.namespace();
  await stage.setLimit(drainLimit);
  await stage.createImages(namespace, count);
  await using chronicle = await stage.chronicle(namespace);
  const before = await countAnswers(stage.api);
  await using operator = await stage.operator();
  const { cpuSeconds, residentBytes: startBytes } = operator.process.usage;
  const startedAt = performance.now();
  const patienceMs = 120_000 + count * 200;
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
    startBytes,
    residentBytes,
    writes,
    writesPerImage: total(writes) / count,
    eventsPerImage: (await stage.events(namespace)) / count,
    mostSlots: Math.max(...chronicle.slots.map(({ level }) => level)),
    requestsPerImage: (await operator.requests()) / count,
    passesPerImage: (await operator.passes()) / count,
  };
}
