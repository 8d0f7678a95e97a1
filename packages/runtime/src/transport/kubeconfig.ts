import type { Credentials } from './credentials.ts';

/**
 * Credentials of a kubeconfig file (default: as kubectl finds it), exec plugins, OIDC and proxies included.
 *
 * Caveats: this is the one place that loads @kubernetes/client-node, and only when called: importing it costs about half a second and 80 MB.
 */
export async function loadKubeconfig(options: { file?: string; context?: string } = {}): Promise<Credentials> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (options.file === undefined) config.loadFromDefault();
  else config.loadFromFile(options.file);
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const where = options.file ?? process.env.KUBECONFIG ?? '~/.kube/config';
    throw new Error(
      `the kubeconfig ${where} has no usable current context; choose one with \`kubectl config use-context NAME\` or give --context`,
    );
  }
  const https: { ca?: unknown; cert?: unknown; key?: unknown; rejectUnauthorized?: boolean; headers?: Record<string, unknown> } =
    {};
  await config.applyToHTTPSOptions(https);
  const token = async (): Promise<string> => {
    const fresh: { headers?: Record<string, unknown> } = {};
    await config.applyToHTTPSOptions(fresh);
    return String(fresh.headers?.Authorization ?? '').replace(/^Bearer /, '');
  };
  return {
    server: cluster.server,
    ...(https.ca === undefined ? {} : { ca: String(https.ca) }),
    ...(https.cert === undefined ? {} : { cert: String(https.cert) }),
    ...(https.key === undefined ? {} : { key: String(https.key) }),
    ...(https.rejectUnauthorized === false ? { insecureSkipTlsVerify: true } : {}),
    ...(https.headers?.Authorization === undefined ? {} : { token }),
  };
}
