import { ApiError, type Connection, type KubeObject, Resource } from '@terrain/runtime';
import { until } from '#process/until.ts';
import { apiVersionOf, type KindName, kinds } from '../kinds.ts';

/** An object that a policy refuses, and its words. */
export interface Probe {
  readonly kind: KindName;
  readonly spec: object;
  readonly words: string;
}

/**
 * Waits until a policy is in force: the API server takes a second to hear of a new one, and until then lets everything pass. Asks without meaning it.
 */
export async function inForce(connection: Connection, { kind, spec, words }: Probe, signal?: AbortSignal): Promise<void> {
  const object = { apiVersion: apiVersionOf(kind), kind, metadata: { name: 'probe', namespace: 'default' }, spec };
  const resource = new Resource<KubeObject>(connection, kinds[kind]);
  let last = 'nothing was refused';
  const isRefused = async (): Promise<true | undefined> => {
    try {
      await resource.create(object, { dryRun: true, ...(signal === undefined ? {} : { signal }) });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      last = error.message;
      return last.includes(words) ? true : undefined;
    }
  };
  await until(`the simulated refusals of every ${kind}`, isRefused, { timeoutMs: 60_000, signal, missing: () => last });
}
