import type { KubeObject } from '@terrain/runtime';
import type { Invariant } from '@terrain/runtime/testing';
import { type ConfigMap, configMaps, type Mailbox, mailboxes } from '../example/controller.ts';

const isMailbox = (resource: { plural: string }): boolean => resource.plural === mailboxes.plural;
const controllerOf = (object: KubeObject) => object.metadata.ownerReferences?.find(({ controller }) => controller === true);

/** What must be true of mailboxes at every version of the cluster, whatever goes wrong. */
export const mailboxInvariants: Readonly<Record<string, Invariant>> = {
  'what a status says is true when it is said': (world, { type, resource, object, previous }) => {
    if (!isMailbox(resource) || type !== 'MODIFIED') return undefined;
    const { metadata, status, spec } = object as Mailbox;
    if (status?.address === undefined || status.address === (previous as Mailbox | undefined)?.status?.address) return undefined;
    const { namespace = '' } = metadata;
    const told = world.get<ConfigMap>(configMaps, { namespace, name: `${metadata.name}-mailbox` })?.data?.address;
    return spec.hidden === true || told === status.address
      ? undefined
      : `the status names ${status.address}, the ConfigMap ${told ?? 'is missing'}`;
  },
  'a status never goes back': (_, { resource, object, previous }) => {
    if (!isMailbox(resource) || previous?.metadata.uid !== object.metadata.uid) return undefined;
    const [before, now] = [previous, object].map((box) => (box as Mailbox | undefined)?.status?.observedGeneration ?? 0);
    return before! > now! ? `observedGeneration went from ${before} to ${now}` : undefined;
  },
  'nothing is made for an owner that is gone': (world, { type, resource, object }) => {
    const owner = controllerOf(object);
    if (type !== 'ADDED' || resource.plural !== configMaps.plural || owner?.kind !== 'Mailbox') return undefined;
    const { namespace = '' } = object.metadata;
    const box = world.get<Mailbox>(mailboxes, { namespace, name: owner.name });
    return box?.metadata.uid === owner.uid ? undefined : `${object.metadata.name} was made for ${owner.name}, which is gone`;
  },
};
