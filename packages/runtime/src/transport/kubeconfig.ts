import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Credentials } from './credentials.ts';
import { readPlainKubeconfig } from './plain-kubeconfig.ts';

interface KubeconfigChoice {
  readonly file?: string;
  readonly context?: string;
}

/**
 * Credentials of a kubeconfig file (default: as kubectl finds it), exec plugins, OIDC and HTTP proxies included.
 *
 * Caveats: this is the one place that loads @kubernetes/client-node, and only for a file that needs it: importing it costs about half a second and
 * 80 MB.
 */
export async function loadKubeconfig(options: KubeconfigChoice = {}): Promise<Credentials> {
  const files = options.file === undefined ? defaultFiles() : [options.file];
  // Several files are merged by rules that the full loader knows.
  const plain = files.length === 1 ? await readPlainKubeconfig(files[0]!, options.context) : undefined;
  return plain ?? (await loadInFull(options));
}

function defaultFiles(): readonly string[] {
  const files = process.env.KUBECONFIG?.split(delimiter).filter((file) => file !== '') ?? [];
  return files.length > 0 ? files : [join(homedir(), '.kube', 'config')];
}

async function loadInFull(options: KubeconfigChoice): Promise<Credentials> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (options.file === undefined) config.loadFromDefault();
  else config.loadFromFile(options.file);
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const where = options.file ?? process.env.KUBECONFIG ?? '~/.kube/config';
    throw new Error(`the kubeconfig ${where} has no usable current context; choose one with \`kubectl config use-context NAME\``);
  }
  const https: HttpsOptions = {};
  await config.applyToHTTPSOptions(https);
  const impersonated = config.getCurrentUser()?.impersonateUser;
  return {
    server: cluster.server,
    ...(https.ca === undefined ? {} : { ca: String(https.ca) }),
    ...(https.cert === undefined ? {} : { cert: String(https.cert) }),
    ...(https.key === undefined ? {} : { key: String(https.key) }),
    ...(https.servername === undefined ? {} : { tlsServerName: https.servername }),
    ...(https.rejectUnauthorized === false ? { insecureSkipTlsVerify: true } : {}),
    ...(cluster.proxyUrl === undefined ? {} : { proxyUrl: cluster.proxyUrl }),
    ...(impersonated ? { impersonate: { user: impersonated } } : {}),
    ...(https.headers?.Authorization === undefined ? {} : { token: () => currentToken(config) }),
  };
}

interface HttpsOptions {
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  servername?: string;
  rejectUnauthorized?: boolean;
  headers?: Record<string, unknown>;
}

/** Asks exec plugins, OIDC and token files anew where theirs has expired. */
async function currentToken(config: { applyToHTTPSOptions(options: HttpsOptions): Promise<void> }): Promise<string> {
  const fresh: HttpsOptions = {};
  await config.applyToHTTPSOptions(fresh);
  return String(fresh.headers?.Authorization ?? '').replace(/^Bearer /, '');
}
