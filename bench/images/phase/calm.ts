import { setTimeout as delay } from 'node:timers/promises';
import type { Chronicle } from '../measure/chronicle.ts';
import { inversions, percentile, utilisation } from '../measure/figures.ts';
import type { Stage } from '../measure/stage.ts';
import { countAnswers, total, type Writes, writesBetween } from '../measure/writes.ts';

export const calmLimit = 4;
const importSeconds = 2;
/** Downloads of two seconds, and nothing else that takes time. */
export const calmScenario = {
  durations: { schedule: '0s', validate: '0s', import: `${importSeconds}s`, bind: '0s', snapshot: '0s', podStop: '0s' },
};

export interface Order {
  /** Share of pairs admitted in another order than created. */
  readonly inversions: number;
  /** Most entries any version of the ledger had. */
  readonly mostSlots: number;
  /** Most DataVolumes that were not finished at the same time. */
  readonly mostDownloads: number;
}

export interface Calm extends Order {
  readonly slotUse: number;
  /** The same by DataVolumes, as the predecessor was measured. */
  readonly downloadUse: number;
  readonly refillMs: { readonly p50: number; readonly p95: number };
  readonly writes: Writes;
  readonly writesPerImage: number;
  readonly eventsPerImage: number;
  readonly seconds: number;
}

/** A long queue through four slots, the operator there from the beginning. */
export async function calm(stage: Stage, count: number): Promise<Calm> {
  const namespace = await stage.namespace();
  await stage.setLimit(calmLimit);
  await using operator = await stage.operator();
  await using chronicle = await stage.chronicle(namespace);
  const before = await countAnswers(stage.api);
  await stage.createImages(namespace, count, { isInOrder: true });
  await operator.process.during(awaitEnd(chronicle, count));
  const writes = writesBetween(before, await countAnswers(stage.api));
  const refills = refillsOf(chronicle);
  const [first, last] = [chronicle.slots[0]?.at ?? 0, chronicle.slots.at(-1)?.at ?? 0];
  return {
    ...orderOf(chronicle),
    slotUse: utilisation(chronicle.slots, calmLimit),
    downloadUse: utilisation(chronicle.downloads, calmLimit),
    refillMs: { p50: percentile(refills, 50), p95: percentile(refills, 95) },
    writes,
    writesPerImage: total(writes) / count,
    eventsPerImage: (await stage.events(namespace)) / count,
    seconds: (last - first) / 1000,
  };
}

/** The same while the operator is killed again and again. */
export async function restarts(stage: Stage, count: number, kills: number): Promise<Order> {
  const namespace = await stage.namespace();
  await stage.setLimit(calmLimit);
  await using chronicle = await stage.chronicle(namespace);
  await stage.createImages(namespace, count, { isInOrder: true });
  const expectedMs = (count / calmLimit) * importSeconds * 1000;
  for (let kill = 0; kill < kills; kill++) {
    await using _operator = await stage.operator();
    await delay(expectedMs / (kills + 1), undefined, { signal: stage.signal });
  }
  await using operator = await stage.operator();
  await operator.process.during(awaitEnd(chronicle, count));
  return orderOf(chronicle);
}

async function awaitEnd(chronicle: Chronicle, count: number): Promise<void> {
  const patienceMs = 60_000 + count * importSeconds * 1000;
  await chronicle.until('the last image', patienceMs, () => chronicle.countOf('Succeeded') === count);
  await chronicle.until('free slots', patienceMs, () => chronicle.slots.at(-1)?.level === 0);
}

function orderOf({ admitted, created, slots, downloads }: Chronicle): Order {
  const seqs = created.map((name) => admitted.get(name) ?? Number.MAX_SAFE_INTEGER);
  return {
    inversions: inversions(seqs),
    mostSlots: Math.max(...slots.map(({ level }) => level)),
    mostDownloads: Math.max(...downloads.map(({ level }) => level)),
  };
}

/** From the k-th snapshot that was ready to the DataVolume that took its slot: the (k + limit)-th. */
function refillsOf({ snapshotReadyAt, volumeCreatedAt }: Chronicle): number[] {
  return snapshotReadyAt.flatMap((readyAt, index) => {
    const createdAt = volumeCreatedAt[index + calmLimit];
    return createdAt === undefined ? [] : [createdAt - readyAt];
  });
}
