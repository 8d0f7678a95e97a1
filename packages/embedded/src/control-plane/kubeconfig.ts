import type { Credentials } from '@terrain/runtime';
import { parse, stringify } from 'yaml';

interface KubeconfigFile {
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly name: string;
    readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string };
  }[];
}

/** The text of a kubeconfig file for one user; certificates are inside it, so the file is worth a password: mode 0600. */
export function kubeconfigText({ server, ca, cert, key }: Credentials, name: string): string {
  const base64 = (pem: string | undefined) => Buffer.from(pem ?? '').toString('base64');
  const { clusters, users }: KubeconfigFile = {
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name, user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
  };
  const contexts = [{ name, context: { cluster: name, user: name } }];
  return stringify({ apiVersion: 'v1', kind: 'Config', clusters, users, contexts, 'current-context': name }, { lineWidth: 0 });
}

/** The credentials in a file that `kubeconfigText` wrote. Other people's files have forms that only a full loader knows. */
export function credentialsIn(text: string): Credentials {
  const { clusters, users } = parse(text) as KubeconfigFile;
  const [{ cluster }, { user }] = [clusters[0]!, users[0]!];
  const plain = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
  return {
    server: cluster.server,
    ca: plain(cluster['certificate-authority-data']),
    cert: plain(user['client-certificate-data']),
    key: plain(user['client-key-data']),
  };
}
