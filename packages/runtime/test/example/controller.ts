/** A Mailbox in the cluster becomes a mailbox on a mail server outside of it, and a ConfigMap that tells programs how to reach it. */
import {
  controllerReference,
  done,
  type KubeObject,
  keyOf,
  keyText,
  type Manager,
  Resource,
  type ResourceType,
} from '@terrain/runtime';

export interface Mailbox extends KubeObject {
  readonly spec: { readonly settings: string; readonly quotaMiB: number; readonly hidden?: boolean };
  readonly status?: { readonly observedGeneration: number; readonly address?: string; readonly message: string };
}
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The world outside. Both calls can be repeated: a pass that was cut short is done again from the start. */
export interface MailServer {
  ensure(id: string, box: { readonly address: string; readonly quotaMiB: number }, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export const mailboxes: ResourceType = { group: 'example.dev', version: 'v1', plural: 'mailboxes', namespaced: true };
export const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const finalizer = 'example.dev/mail-server';
/** On settings and on our own ConfigMaps: of all ConfigMaps only these are watched and held in memory. */
export const mailLabel = 'example.dev/mail';

export function addMailboxes(manager: Manager, server: MailServer, scope: { namespace?: string } = {}, workers = 4): void {
  const boxes = manager.informers.get<Mailbox>(mailboxes, scope);
  const maps = manager.informers.get<ConfigMap>(configMaps, { ...scope, labelSelector: mailLabel });
  boxes.addIndex('settings', (box) => [keyText({ ...box.metadata, name: box.spec.settings })]);

  manager
    .controller<Mailbox>({
      name: 'mailboxes',
      for: boxes,
      workers,
      reconcile: async (key, { writer, signal }) => {
        const cached = boxes.store.get(keyText(key));
        if (cached === undefined) return done;
        const { uid = '', generation = 0, deletionTimestamp } = cached.metadata;
        if (deletionTimestamp !== undefined) {
          await server.remove(uid, signal);
          await writer.removeFinalizer(mailboxes, cached, finalizer);
          return done;
        }

        const domain = maps.store.get(keyText({ ...key, name: cached.spec.settings }))?.data?.domain;
        if (domain === undefined) {
          // Not an error: the ConfigMap wakes this key when it appears.
          const message = `waiting for the ConfigMap ${cached.spec.settings} to name a domain`;
          await writer.status(mailboxes, cached, { observedGeneration: generation, message });
          return done;
        }

        const address = `${key.name}@${domain}`;
        const desired = desiredConfigMap(cached, address);
        const child = maps.store.get(keyOf(desired));
        const isTold = cached.status?.observedGeneration === generation && cached.status.address === address;
        let box = cached;
        if (!isTold || (child === undefined && cached.spec.hidden !== true)) {
          // Neither a creation nor an effect outside has a precondition that would stop one decided on an old cache. So look; what is newer wakes us.
          const live = await new Resource<Mailbox>(manager.api, mailboxes).find(key, { signal });
          if (live?.metadata.resourceVersion !== cached.metadata.resourceVersion) return done;
          // Before the first effect, so that a deletion always finds its way back here.
          box = await writer.addFinalizer(mailboxes, cached, finalizer);
          await server.ensure(uid, { address, quotaMiB: box.spec.quotaMiB }, signal);
        }
        if (box.spec.hidden !== true) await writer.child(configMaps, desired, child);
        else if (child !== undefined) await writer.delete(configMaps, child);

        await writer.status(mailboxes, box, { observedGeneration: generation, address, message: 'ready' });
        if (box.status?.address !== address)
          manager.events.record(box, { type: 'Normal', reason: 'Ready', note: `mail arrives at ${address}` });
        return done;
      },
    })
    .owns(maps)
    .watches(maps, (map) => boxes.store.byIndex('settings', keyOf(map)).map(keyOf));
}

/** Complete, and the same for the same input: what is not in here is removed, and an equal one is not sent. */
function desiredConfigMap(box: Mailbox, address: string): ConfigMap {
  const { name, namespace = '' } = box.metadata;
  const labels = { [mailLabel]: 'mailbox' };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-mailbox`, namespace, labels, ownerReferences: [controllerReference(box)] },
    data: { address, quota: `${box.spec.quotaMiB}Mi` },
  };
}
