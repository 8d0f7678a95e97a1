import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Credentials, loadInCluster, loadKubeconfig } from '@terrain/runtime';

/** Where the operator learns which cluster it works on. */
export type CredentialSource =
  | { readonly from: 'file'; readonly file: string }
  /** As kubectl finds it. */
  | { readonly from: 'kubeconfig' }
  | { readonly from: 'pod' };

/**
 * What somebody named wins over what is merely there: a machine for development may well be a pod of another cluster, and its account is not meant.
 */
export function credentialSource(env: Readonly<Record<string, string | undefined>>): CredentialSource {
  if (env.TERRAIN_KUBECONFIG) return { from: 'file', file: env.TERRAIN_KUBECONFIG };
  return env.KUBECONFIG ? { from: 'kubeconfig' } : { from: 'pod' };
}

/** There are no credentials to work with. The message says which file that is about, and what to do. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Credentials for that cluster; who is in no pod after all takes what kubectl would. Throws a CredentialsError. */
export async function loadCredentials(
  source: CredentialSource,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Credentials> {
  if (source.from === 'file') return fromFile(source.file, 'TERRAIN_KUBECONFIG', { file: source.file });
  if (source.from === 'kubeconfig') return fromFile(env.KUBECONFIG ?? '', 'KUBECONFIG', {});
  return (await fromPod()) ?? (await fromHome());
}

async function fromPod(): Promise<Credentials | undefined> {
  try {
    return await loadInCluster();
  } catch (error) {
    throw new CredentialsError(
      `this pod has no service account to work with (${reason(error)}): set automountServiceAccountToken in its spec, or KUBECONFIG to work on another cluster`,
    );
  }
}

async function fromHome(): Promise<Credentials> {
  const file = join(homedir(), '.kube', 'config');
  // Without a file the loader would take a server at localhost:8080 that nobody named.
  if (!existsSync(file))
    throw new CredentialsError(
      `there is no cluster to work on: this is no pod, KUBECONFIG is not set and ${file} does not exist; set KUBECONFIG to a kubeconfig (${hint})`,
    );
  return fromFile(file, undefined, {});
}

const hint = '`npm run -s terrain -- kubeconfig` prints the file of the cluster that `npm start` runs';

/** `variable` is what named the file, if anything did. */
async function fromFile(shown: string, variable: string | undefined, options: { file?: string }): Promise<Credentials> {
  try {
    return await loadKubeconfig(options);
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith(`the kubeconfig ${shown} `)) throw new CredentialsError(message);
    const what = `the kubeconfig ${shown}${variable === undefined ? '' : `, which ${variable} names,`}`;
    const remedy = variable === undefined ? 'correct it, or set KUBECONFIG to another' : `correct ${variable} or the file`;
    throw new CredentialsError(`${what} cannot be used: ${reason(error)}; ${remedy} (${hint})`);
  }
}

/** The first line of what a loader says: those that read YAML add an excerpt, which may hold a credential. */
function reason(error: unknown): string {
  const { message, code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${path ?? 'it'} does not exist`;
  return message.split('\n')[0]!.replaceAll(/\p{Cc}/gu, ' ');
}
