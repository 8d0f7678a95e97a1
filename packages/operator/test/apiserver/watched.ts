/** An observer around a stage. */
import { Observer } from '@terrain/runtime/testing';
import { invariants, observedKinds } from './invariants.ts';
import type { Stage } from './stage.ts';

/** Judges every version of the cluster while the work runs, and throws if one breaks an invariant. */
export async function observing<T>(
  stage: Stage,
  work: (observer: Observer) => Promise<T>,
  leave: readonly string[] = [],
  connection = stage.connection,
): Promise<T> {
  const checked = Object.fromEntries(
    Object.entries(invariants()).filter(([name]) => !leave.some((left) => name.startsWith(left))),
  );
  const observer = await Observer.start({ connection, kinds: observedKinds, invariants: checked });
  try {
    const result = await work(observer);
    await observer.caughtUp();
    observer.assertClean();
    return result;
  } finally {
    await observer.close();
  }
}
