/** Which cluster a command talks to. Loaded by commands when they run, never for `--help`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Connection, type Credentials, loadKubeconfig } from '@terrain/runtime';
import type { ClusterFlags } from '../command/cluster-options.ts';
import { CommandError } from '../output/exit.ts';
import { plain } from '../output/plain.ts';
import { explain } from './explain.ts';

interface Found {
  readonly credentials: Credentials;
  readonly whenSilent: string;
}

/** Opens a connection for the time of `work`. What the cluster refuses, and that it does not answer, become one sentence each. */
export async function withCluster<T>(flags: ClusterFlags, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { credentials, whenSilent } = await findCluster(flags);
  await using connection = new Connection(credentials, { userAgent: 'terrain-cli' });
  try {
    return await work(connection);
  } catch (error) {
    throw explain(error, { server: credentials.server, whenSilent });
  }
}

/** The first there is of: the file given, `$KUBECONFIG`, the embedded cluster of the home, what kubectl would take. */
async function findCluster({ kubeconfig, home }: ClusterFlags): Promise<Found> {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST } = process.env;
  if (kubeconfig !== undefined) return fromFile(kubeconfig, { file: kubeconfig });
  if (KUBECONFIG) return fromFile(KUBECONFIG, {});
  const { clusterCredentials } = await import('@terrain/embedded');
  const embedded = await clusterCredentials(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`the kubeconfig of the embedded cluster in ${home} cannot be read: ${plain(error.message)}`);
  });
  if (embedded !== undefined)
    return { credentials: embedded, whenSilent: `start the embedded cluster with \`terrain up --home ${home}\`` };
  const file = join(homedir(), '.kube/config');
  if (existsSync(file) || KUBERNETES_SERVICE_HOST) return fromFile(file, {});
  throw new CommandError('there is no cluster to ask: give --kubeconfig FILE, set KUBECONFIG, or start one with `terrain up`.');
}

async function fromFile(shown: string, options: { file?: string }): Promise<Found> {
  try {
    return { credentials: await loadKubeconfig(options), whenSilent: `check the kubeconfig ${shown}` };
  } catch (error) {
    throw new CommandError(`the kubeconfig ${shown} cannot be used: ${plain((error as Error).message)}`);
  }
}
