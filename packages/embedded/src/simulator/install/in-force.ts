import { ApiError, type Connection, type KubeObject, Resource } from '@terrain/runtime';
import { until } from '#process/until.ts';
import { apiVersionOf, type KindName, kinds } from '../kinds.ts';

/** An object that a policy or a webhook refuses, and its words. */
export interface Probe {
  readonly kind: KindName;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: object;
  readonly words: string;
}

/**
 * Waits until a policy or a webhook is in force: the API server takes a second to hear of a new one, and until then lets everything pass. Asks without
 * meaning it.
 */
export async function inForce(connection: Connection, probe: Probe, signal?: AbortSignal): Promise<void> {
  const { kind, annotations, spec, words } = probe;
  const metadata = { name: 'probe', namespace: 'default', ...(annotations === undefined ? {} : { annotations }) };
  const object = { apiVersion: apiVersionOf(kind), kind, metadata, spec };
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
