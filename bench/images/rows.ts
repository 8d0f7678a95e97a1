import type { Row } from '../lib/bench.ts';
import { growthExponent } from './measure/figures.ts';
import type { Calm, Order } from './phase/calm.ts';
import { type Drained, parallel } from './phase/drain.ts';
import type { Failed } from './phase/failure.ts';
import type { Floor } from './phase/floor.ts';

/** All that was measured. */
export interface Results {
  readonly calmCount: number;
  readonly refillFloorMs: number;
  readonly calm: Calm;
  readonly restarts: Order;
  readonly failure: Failed;
  readonly floors: readonly DrainFloor[];
  readonly drains: readonly Drained[];
  readonly idle: readonly { readonly queued: number; readonly requestsPerMinute: number }[];
}

/** The floors of one size. */
export interface DrainFloor {
  readonly count: number;
  readonly blind: Floor;
  /** Of the smallest size only: it takes as long as the rest, and what it adds does not change with the size. */
  readonly following?: Floor;
}

const mebibyte = 2 ** 20;
/**
 * The goal of 5 s per 1,000 images in a measure that no machine changes: where the predecessor was measured, at 9 to 11 s, the three writes of the floor
 * took a client of Node 0.9 to 1.6 s.
 */
const cpuOfFloors = 4;
/** The most images for which the smaller bound on memory is meant. */
const few = 1000;

/** The figures, each with its goal and with what the Go predecessor was measured at (0.2.0, same kind of machine). */
export function rowsOf(results: Results): Row[] {
  return [...calmRows(results), ...results.drains.flatMap((drained) => drainRows(drained, results)), ...otherRows(results)];
}

function calmRows({ calm, calmCount, refillFloorMs, restarts }: Results): Row[] {
  const head = `${calmCount} images of 2 s, limit 4`;
  const refill = 'refill, snapshot ready to next DataVolume';
  return [
    { name: `${head}: slot use`, value: percent(calm.slotUse), unit: '%', goal: 97, atLeast: true, predecessor: '15 %' },
    { name: `${head}: the same by unfinished DataVolumes`, value: percent(calm.downloadUse), unit: '%', predecessor: '15 %' },
    { name: `${refill}: four serial writes and a watch`, value: refillFloorMs, unit: 'ms' },
    { name: `${refill}: p50`, value: calm.refillMs.p50, unit: 'ms', predecessor: '8,100 ms' },
    { name: `${refill}: p50 / floor`, value: calm.refillMs.p50 / refillFloorMs, unit: 'ratio', goal: 2, predecessor: '~1,100' },
    { name: `${refill}: p95`, value: calm.refillMs.p95, unit: 'ms', predecessor: '18,000 ms' },
    { name: `${refill}: p95 / floor`, value: calm.refillMs.p95 / refillFloorMs, unit: 'ratio', goal: 4 },
    { name: 'order inversions', value: percent(calm.inversions), unit: '%', goal: 0, predecessor: '11 %' },
    { name: 'order inversions with restarts', value: percent(restarts.inversions), unit: '%', goal: 0, predecessor: '46 %' },
    { name: 'most slots held at any version, limit 4', value: calm.mostSlots, unit: 'slots', goal: 4, predecessor: '5' },
    { name: 'most unfinished DataVolumes, limit 4', value: calm.mostDownloads, unit: 'volumes', goal: 4, predecessor: '5' },
    { name: 'the same with kills: slots', value: restarts.mostSlots, unit: 'slots', goal: 4, predecessor: '10' },
    { name: 'the same with kills: DataVolumes', value: restarts.mostDownloads, unit: 'volumes', goal: 4, predecessor: '10' },
    {
      name: 'writes per image, limit 4',
      value: calm.writesPerImage,
      unit: 'writes',
      goal: 6,
      predecessor: '6.0, limit by cache',
    },
    { name: 'events per image, limit 4', value: calm.eventsPerImage, unit: 'events', goal: 1, predecessor: '20.4' },
  ];
}

function drainRows(drained: Drained, { floors, drains }: Results): Row[] {
  const { count, writes } = drained;
  const isSmallest = drained === drains[0];
  const head = `${count} instant images, limit 100`;
  const floor = floors.find((candidate) => candidate.count === count);
  const perThousand = 1000 / count;
  const rate = drained.imagesPerSecond;
  const beside = (text: string): Pick<Row, 'predecessor'> => (isSmallest ? { predecessor: text } : {});
  return [
    { name: `${head}: images`, value: rate, unit: '/s', ...beside('15 /s') },
    ...(floor === undefined
      ? []
      : [
          { name: `${head}: floor, three writes at ${parallel} parallel`, value: floor.blind.imagesPerSecond, unit: '/s' },
          ...(floor.following === undefined
            ? []
            : [
                { name: `${head}: floor that follows claim and snapshot`, value: floor.following.imagesPerSecond, unit: '/s' },
                {
                  name: `${head}: ours / the floor that follows`,
                  value: rate / floor.following.imagesPerSecond,
                  unit: 'ratio',
                },
              ]),
          // Both from the first write to the last image whose snapshot is ready and whose status says so.
          {
            name: `${head}: ours / floor at ${parallel} parallel`,
            value: rate / floor.blind.imagesPerSecond,
            unit: 'ratio',
            goal: 0.6,
            atLeast: true,
            predecessor: isSmallest ? '0.12-0.17' : 'not run',
          },
          {
            name: `${head}: ours / three writes, the platform's part left out`,
            value: rate / floor.blind.writtenPerSecond,
            unit: 'ratio',
            ...beside('0.07-0.10'),
          },
          { name: `${head}: CPU of the floor per 1,000`, value: floor.blind.cpuSecondsPerThousand, unit: 's' },
          {
            name: `${head}: CPU / CPU of the floor`,
            value: drained.cpuSecondsPerThousand / floor.blind.cpuSecondsPerThousand,
            unit: 'ratio',
            goal: cpuOfFloors,
            ...beside('~8'),
          },
        ]),
    { name: `${head}: CPU per 1,000`, value: drained.cpuSecondsPerThousand, unit: 's', goal: 5, ...beside('9-11 s') },
    { name: `${head}: passes per image`, value: drained.passesPerImage, unit: 'passes' },
    { name: `${head}: requests per image`, value: drained.requestsPerImage, unit: 'requests', ...beside('10') },
    { name: `${head}: writes per image`, value: drained.writesPerImage, unit: 'writes', goal: 5.2, ...beside('6.0') },
    { name: `${head}: events per image`, value: drained.eventsPerImage, unit: 'events', goal: 1, ...beside('4.0') },
    { name: `${head}: ledger conflicts per 1,000`, value: writes.ledgerConflicts * perThousand, unit: 'writes', goal: 20 },
    { name: `${head}: refused creates per 1,000`, value: writes.refusedCreates * perThousand, unit: 'writes', goal: 20 },
    { name: `${head}: most slots held at any version`, value: drained.mostSlots, unit: 'slots', goal: 100, ...beside('101') },
    {
      name: `${head}: peak resident memory`,
      value: drained.peakBytes / mebibyte,
      unit: 'MiB',
      goal: count <= few ? 120 : 180,
      ...beside('78 MiB'),
    },
  ];
}

function otherRows({ drains, floors, idle, failure }: Results): Row[] {
  const [small, large] = drains;
  const [few, many] = floors.map(({ count, blind }) => ({ count, seconds: count / blind.imagesPerSecond }));
  return [
    ...(small === undefined || large === undefined
      ? []
      : [
          {
            name: `growth of the time, ${small.count} to ${large.count}`,
            value: growthExponent(small, large),
            unit: 'exponent',
            goal: 1.05,
          },
        ]),
    // What the API server and the platform take more for each image when there are many of them, or in a slower minute of the machine.
    ...(few === undefined || many === undefined
      ? []
      : [
          {
            name: `growth of the floor's time, ${few.count} to ${many.count}`,
            value: growthExponent(few, many),
            unit: 'exponent',
          },
        ]),
    ...idle.map(({ queued, requestsPerMinute }) => ({
      name: `idle, ${queued} queued: requests a minute without watches`,
      value: requestsPerMinute,
      unit: 'requests',
      goal: 0,
      predecessor: '6 for each image queued',
    })),
    {
      name: 'permanent failure (404): downloads',
      value: failure.downloads,
      unit: 'downloads',
      goal: 1,
      exactly: true,
      predecessor: '15',
    },
    { name: 'permanent failure: time to Failed', value: failure.secondsToFailed, unit: 's', goal: 1, predecessor: '12.7 h' },
  ];
}

const percent = (share: number): number => share * 100;
