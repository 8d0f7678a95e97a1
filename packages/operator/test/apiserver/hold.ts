import { ApiError, type ResourceType } from '@terrain/runtime';
import { ignoreAbsent } from './platform.ts';
import type { Stage } from './stage.ts';

const holder = 'test/hold';

/** Keeps an object from going, as a driver does that is broken, until the test is over or lets go of it. */
export async function hold(stage: Stage, type: ResourceType, name: string): Promise<AsyncDisposable> {
  const at = { name, namespace: stage.namespace };
  const finalize = async (change: (finalizers: readonly string[]) => readonly string[]): Promise<void> => {
    for (;;) {
      const held = await stage.resource(type).get(at).catch(ignoreAbsent);
      if (held === undefined) return;
      const metadata = { resourceVersion: held.metadata.resourceVersion, finalizers: change(held.metadata.finalizers ?? []) };
      const isDone = await stage.resource(type).mergePatch(at, { metadata }).catch(ignoreConflict);
      if (isDone !== undefined) return;
    }
  };
  await finalize((finalizers) => [...finalizers, holder]);
  return { [Symbol.asyncDispose]: () => finalize((finalizers) => finalizers.filter((finalizer) => finalizer !== holder)) };
}

function ignoreConflict(error: unknown): undefined {
  if (error instanceof ApiError && (error.code === 409 || error.code === 404)) return undefined;
  throw error;
}
