/** A Mailbox in the cluster becomes a mailbox on a mail server outside of it, and a ConfigMap that tells programs how to reach it. */
import { controllerReference, done, type KubeObject, keyOf, keyText, type Manager, type ResourceType } from '@terrain/runtime';

export interface Mailbox extends KubeObject {
  readonly spec: { readonly settings: string; readonly quotaMiB: number };
  readonly status?: { readonly observedGeneration?: number; readonly address?: string; readonly message: string };
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The world outside. Both calls can be repeated: a pass that was cut short is done again from the start. */
export interface MailServer {
  ensure(id: string, box: { readonly address: string; readonly quotaMiB: number }, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export const mailboxes: ResourceType = { group: 'example.dev', version: 'v1', plural: 'mailboxes', namespaced: true };
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const finalizer = 'example.dev/mail-server';
/** On settings and on our own ConfigMaps: of all ConfigMaps only these are watched and held in memory. */
const label = 'example.dev/mail';

export function addMailboxes(manager: Manager, server: MailServer, scope: { namespace?: string; workers?: number } = {}): void {
  const { workers = 4, ...where } = scope;
  const boxes = manager.informers.get<Mailbox>(mailboxes, where);
  const maps = manager.informers.get<ConfigMap>(configMaps, { ...where, labelSelector: label });
  boxes.addIndex('settings', (box) => [keyText({ ...box.metadata, name: box.spec.settings })]);

  manager
    .controller<Mailbox>({
      name: 'mailboxes',
      for: boxes,
      workers,
      reconcile: async (key, { writer, signal }) => {
        const box = boxes.store.get(keyText(key));
        if (box === undefined) return done;
        const id = `${box.metadata.uid}`;

        if (box.metadata.deletionTimestamp !== undefined) {
          await server.remove(id, signal);
          await writer.removeFinalizer(mailboxes, box, finalizer);
          return done;
        }

        const domain = maps.store.get(keyText({ ...key, name: box.spec.settings }))?.data?.domain;
        if (domain === undefined) {
          // Not an error: the ConfigMap wakes this key when it appears.
          await writer.status(mailboxes, box, statusOf(box, { message: `waiting for the ConfigMap ${box.spec.settings}` }));
          return done;
        }

        // Before the first effect outside, so that a deletion always finds its way back here.
        const held = await writer.addFinalizer(mailboxes, box, finalizer);
        const address = `${key.name}@${domain}`;
        await server.ensure(id, { address, quotaMiB: box.spec.quotaMiB }, signal);
        const child = desiredConfigMap(held, address);
        await writer.child(configMaps, child, maps.store.get(keyOf(child)));
        await writer.status(mailboxes, held, statusOf(box, { address, message: 'ready' }));
        if (box.status?.address !== address)
          manager.events.record(box, { type: 'Normal', reason: 'Ready', note: `mail arrives at ${address}` });
        return done;
      },
    })
    .owns(maps)
    .watches(maps, (map) => boxes.store.byIndex('settings', keyOf(map)).map(keyOf));
}

function statusOf(box: Mailbox, said: { address?: string; message: string }): NonNullable<Mailbox['status']> {
  const { generation } = box.metadata;
  return { ...(generation === undefined ? {} : { observedGeneration: generation }), ...said };
}

function desiredConfigMap(box: Mailbox, address: string): ConfigMap {
  const { name = '', namespace = '' } = box.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-mailbox`, namespace, labels: { [label]: 'mailbox' }, ownerReferences: [controllerReference(box)] },
    data: { address, quota: `${box.spec.quotaMiB}Mi` },
  };
}
