import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from './credentials.ts';

const defaultDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Credentials of the pod's own service account, without loading any client library.
 *
 * Guarantees: the token is read again as kubelet rotates it. Returns undefined outside a pod.
 */
export async function loadInCluster(
  environment: NodeJS.ProcessEnv = process.env,
  directory = defaultDirectory,
): Promise<Credentials | undefined> {
  const host = environment.KUBERNETES_SERVICE_HOST;
  const port = environment.KUBERNETES_SERVICE_PORT;
  if (host === undefined || port === undefined) return undefined;
  const ca = await readFile(join(directory, 'ca.crt'), 'utf8');
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    server: `https://${address}:${port}`,
    ca,
    token: async () => (await readFile(join(directory, 'token'), 'utf8')).trim(),
  };
}
