import type { Credentials } from '@terrain/runtime';
import { stringify } from 'yaml';

/** The text of a kubeconfig file for one user; certificates are inside it, so the file is worth a password: mode 0600. */
export function kubeconfigText(credentials: Credentials, name: string): string {
  const base64 = (pem: string | undefined) => Buffer.from(pem ?? '').toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: credentials.server, 'certificate-authority-data': base64(credentials.ca) } }],
      users: [
        { name, user: { 'client-certificate-data': base64(credentials.cert), 'client-key-data': base64(credentials.key) } },
      ],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}
