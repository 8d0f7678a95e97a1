import { ApiError, type Connection } from '@terrain/runtime';
import { until } from '#process/until.ts';

/**
 * Limits the storage of a namespace and returns when claims are judged by it: a quota counts for nothing until a controller has looked at it and
 * the API server has heard of that.
 */
export async function limitStorage(connection: Connection, namespace: string, hard: string): Promise<void> {
  const body = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { 'requests.storage': hard } },
  };
  await connection.request({ method: 'POST', path: quotasIn(namespace), body });
  await until(`quota q in ${namespace} to be in force`, () => isInForce(connection, namespace), { timeoutMs: 120_000 });
}

export async function raiseStorage(connection: Connection, namespace: string, hard: string): Promise<void> {
  await connection.request({
    method: 'PATCH',
    path: `${quotasIn(namespace)}/q`,
    contentType: 'application/merge-patch+json',
    body: { spec: { hard: { 'requests.storage': hard } } },
  });
}

const quotasIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/resourcequotas`;

/** Asks for more than any quota here gives, without meaning it. */
async function isInForce(connection: Connection, namespace: string): Promise<true | undefined> {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'probe' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Ei' } } },
  };
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  try {
    await connection.request({ method: 'POST', path, query: { dryRun: 'All' }, body: claim });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.message.includes('exceeded quota: q') ? true : undefined;
    throw error;
  }
}
