import type { Contender } from '../contender/contenders.ts';
import { ContenderProcess } from '../contender/process.ts';
import { PatienceError } from '../measure/referee.ts';
import type { Scene } from '../measure/stage.ts';

export interface Deleted {
  /** From the DELETE until the slowest of a few widgets is gone. */
  readonly slowestSeconds: number;
  /** It was not gone even then. */
  readonly isGivenUp: boolean;
  /** Widgets that still waited to be served. */
  readonly backlog: number;
}

const patienceSeconds = 60;
const deletions = 5;

/** Deletes the first few widgets a contender has served, while nearly all others still wait for it. */
export async function deleteLatency(scene: Scene, contender: Contender, count: number): Promise<Deleted> {
  await scene.fill(count, { finalizer: true });
  await using referee = await scene.referee();
  await using running = new ContenderProcess(contender, scene.settings(count));
  await running.during(referee.until('the first served widgets', 120, () => referee.served >= deletions));
  const names = referee.firstServed(deletions);
  const deletedAt = performance.now();
  await Promise.all(names.map((name) => scene.delete(name)));
  const backlog = count - referee.served;
  try {
    const gone = referee.until('their end', patienceSeconds, () => !names.some((name) => referee.exists(name)));
    return { slowestSeconds: ((await running.during(gone)) - deletedAt) / 1000, isGivenUp: false, backlog };
  } catch (error) {
    if (!(error instanceof PatienceError)) throw error;
    return { slowestSeconds: patienceSeconds, isGivenUp: true, backlog };
  }
}
