/** The controller as a program: `KUBECONFIG=... MAIL_DIRECTORY=... node main.ts`. `LEASE=namespace/name` turns the election on. */
import { env } from 'node:process';
import { loadInCluster, loadKubeconfig, Manager, shutdownSignal } from '@terrain/runtime';
import { addMailboxes } from './controller.ts';
import { DirectoryMailServer } from './mail-server.ts';

const [namespace, name] = env.LEASE?.split('/') ?? [];
const leaseMs = Number(env.LEASE_MS ?? 15_000);
const manager = new Manager({
  name: 'mailboxes',
  credentials: (await loadInCluster()) ?? (await loadKubeconfig()),
  ...(namespace === undefined || name === undefined
    ? {}
    : { election: { namespace, name, leaseMs, renewDeadlineMs: (leaseMs * 2) / 3, retryMs: leaseMs / 7.5 } }),
});
addMailboxes(manager, new DirectoryMailServer(env.MAIL_DIRECTORY ?? 'mail'), {
  ...(env.NAMESPACE === undefined ? {} : { namespace: env.NAMESPACE }),
});
await manager.run(shutdownSignal());
