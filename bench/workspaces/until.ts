import { Informers, type KubeObject, type ResourceType, systemClock } from '@terrain/runtime';
import type { Stage } from '../images/measure/stage.ts';

const patienceMs = 900_000;
/** Requests at the same time, and workers of the operator by default. */
const parallel = 32;

/** Does the work for every lab, several at a time. */
export async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Resolves when there are so many objects in labs of which this is so. */
export async function reached<T extends KubeObject>(
  stage: Stage,
  type: ResourceType,
  count: number,
  isSo: (object: T) => boolean,
): Promise<void> {
  const informers = new Informers({ api: stage.api, clock: systemClock, freeze: false });
  const informer = informers.get<T>(type);
  const there = new Set<string>();
  const all = Promise.withResolvers<void>();
  const look = (): void => {
    if (informer.hasSynced && there.size === count) all.resolve();
  };
  informer.onChange((change) => {
    if (change.type !== 'deleted' && isSo(change.new)) there.add(change.key);
    else there.delete(change.key);
    look();
  });
  const timer = setTimeout(
    () => all.reject(new Error(`${there.size} of ${count} ${type.plural} after ${patienceMs / 1000} s`)),
    patienceMs,
  );
  try {
    informers.start();
    void informer.synced.then(look);
    await Promise.race([all.promise, aborted(stage.signal)]);
  } finally {
    clearTimeout(timer);
    await informers.close();
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

export const isOfLab = ({ metadata }: KubeObject): boolean =>
  (metadata.namespace ?? metadata.name ?? '').startsWith('workspace-');
