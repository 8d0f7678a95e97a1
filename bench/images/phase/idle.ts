import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../measure/stage.ts';
import { calmLimit } from './calm.ts';

/** How long after the last image the operator may still be at work. */
const settleMs = 5000;

/** Requests a minute, watches and lease not counted, while all slots are taken by downloads that do not move and the rest waits. */
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
  await delay(settleMs, undefined, { signal: stage.signal });
  const before = await operator.requests();
  await delay(seconds * 1000, undefined, { signal: stage.signal });
  return (((await operator.requests()) - before) * 60) / seconds;
}
