import type { BenchContext } from '../lib/bench.ts';
import type { Contender, ContenderName } from './contender/contenders.ts';
import { type Scene, Stage } from './measure/stage.ts';
import { type ColdStarted, coldStart } from './phase/cold-start.ts';
import { type Deleted, deleteLatency } from './phase/delete-latency.ts';
import { type Drained, drain } from './phase/drain.ts';
import { type FailedOver, failover } from './phase/failover.ts';
import type { Sizes } from './sizes.ts';

/** A namespace that was served, and then found served by a process that knew nothing of it. */
export interface Served {
  readonly drained: Drained;
  readonly cold: ColdStarted;
}

/** All that was measured of one contender. */
export interface Result {
  readonly name: ContenderName;
  /** Several rounds, because short runs vary most. */
  readonly small: readonly Served[];
  readonly large: Served;
  readonly huge: Served | undefined;
  /** JSON of a widget and its ConfigMap. */
  readonly bytes: { readonly sent: number; readonly kept: number };
  readonly deleted: Deleted | undefined;
  readonly failedOver: FailedOver | undefined;
}

const smallRounds = 3;

/** One contender through all phases, on a cluster of its own. */
export async function compete(contender: Contender, sizes: Sizes, { signal, log }: BenchContext): Promise<Result> {
  const note = (line: string): void => log(`${contender.name}: ${line}`);
  await using stage = await Stage.open(signal);

  const serve = async (scene: Scene, count: number): Promise<Served> => {
    await scene.fill(count);
    const drained = await drain(scene, contender);
    note(`${count} objects: ${told(drained)}`);
    const cold = await coldStart(scene, contender);
    note(`cold start with ${count}: ${cold.seconds.toFixed(2)} s, ${megabytes(cold.residentBytes)} resident`);
    return { drained, cold };
  };
  const small: Served[] = [];
  for (let round = 1; round <= smallRounds; round++) small.push(await serve(await stage.scene(), sizes.small));
  const scene = await stage.scene();
  const large = await serve(scene, sizes.large);
  const bytes = await scene.bytesPerObject();
  const huge = sizes.huge === undefined ? undefined : await serve(scene, sizes.huge);
  const deleted = contender.canDelete ? await deleteLatency(await stage.scene(), contender, sizes.large) : undefined;
  if (deleted !== undefined) note(`slowest delete ${deleted.slowestSeconds.toFixed(2)} s while ${deleted.backlog} waited`);
  const failedOver = contender.canElect ? await failover(stage, contender) : undefined;
  return { name: contender.name, small, large, huge, bytes, deleted, failedOver };
}

function told({ objectsPerSecond, cpuSecondsPerObject, requests }: Drained): string {
  const what = [...requests].map(([request, count]) => `${count} ${request}`).join(', ');
  return `${objectsPerSecond.toFixed(0)}/s, ${(cpuSecondsPerObject * 1000).toFixed(2)} ms of CPU each; ${what}`;
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
