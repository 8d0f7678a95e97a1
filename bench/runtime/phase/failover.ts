import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contender/contenders.ts';
import { ContenderProcess } from '../contender/process.ts';
import type { Stage } from '../measure/stage.ts';

export interface FailedOver {
  /** From the leader's SIGKILL until the other has served a widget. */
  readonly killedSeconds: number;
  /** The same after a SIGTERM. */
  readonly terminatedSeconds: number;
}

const patienceSeconds = 60;
/** Long enough for a standby to have seen the lease renewed. */
const standbyMs = 3000;

/** Two processes and a Lease of 15 s, as both runtimes have it by default; the leader ends, the other takes over. */
export async function failover(stage: Stage, contender: Contender): Promise<FailedOver> {
  const scene = await stage.scene();
  await using referee = await scene.referee();
  await using lives = new AsyncDisposableStack();
  const start = (): ContenderProcess => lives.use(new ContenderProcess(contender, scene.settings(0, 'bench')));
  const oneMore = async (by: ContenderProcess): Promise<number> => {
    await scene.fill(scene.count + 1);
    return by.during(referee.until('a served widget', patienceSeconds, () => referee.served === scene.count));
  };
  let leader = start();
  await oneMore(leader);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
    const standby = start();
    await standby.said('synced');
    await delay(standbyMs, undefined, { signal: stage.signal });
    const endedAt = performance.now();
    await leader.end(signal);
    leader = standby;
    return ((await oneMore(standby)) - endedAt) / 1000;
  };
  return { killedSeconds: await end('SIGKILL'), terminatedSeconds: await end('SIGTERM') };
}
