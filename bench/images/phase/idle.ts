import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../measure/stage.ts';
import { calmLimit } from './calm.ts';

/** So long without a request, and the operator has come to rest: what can wait is written half a minute late, once. */
const restMs = 35_000;
/** One that never rests is measured all the same. */
const mostRests = 3;

/** Requests a minute, watches not counted and without a lease, while all slots are taken by downloads that do not move and the rest waits. */
export async function idle(stage: Stage, queued: number, seconds: number): Promise<number> {
  const namespace = await stage.namespace();
  await stage.setLimit(calmLimit);
  await using operator = await stage.operator();
  await using chronicle = await stage.chronicle(namespace);
  await stage.createImages(namespace, calmLimit, { sim: 'stuck', prefix: 'a-stuck' });
  await stage.createImages(namespace, queued, { prefix: 'queued' });
  const patienceMs = 60_000 + queued * 100;
  await operator.process.during(
    chronicle.until(
      'a full house',
      patienceMs,
      () => chronicle.countOf('Queued') >= queued && chronicle.volumeCreatedAt.length === calmLimit,
    ),
  );
  let before = await operator.requests();
  for (let last = Number.NaN, rests = 0; last !== before && rests < mostRests; rests++) {
    last = before;
    await delay(restMs, undefined, { signal: stage.signal });
    before = await operator.requests();
  }
  await delay(seconds * 1000, undefined, { signal: stage.signal });
  return (((await operator.requests()) - before) * 60) / seconds;
}
