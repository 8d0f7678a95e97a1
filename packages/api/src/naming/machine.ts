/** Names of what a VirtualMachine owns, all in its namespace. */
import { hexDigest } from '#hash/digest.ts';
import { shortUid } from './identity.ts';
import { childName, maxLabelLength, toLabel } from './label.ts';

/** The KubeVirt VirtualMachine: the same name, made a DNS label where it is not one. */
export const kubevirtMachineName = (machine: string): string => toLabel(machine);

/**
 * The root disk's DataVolume. A reset asks for a new disk while the old claim may still be terminating, and so does a machine made
 * again under an old name: UID and reset token are part of the name, so that neither ever picks up the other's disk.
 */
export function rootDiskName({ name, uid, resetToken = '' }: { name: string; uid: string; resetToken?: string }): string {
  const life = resetToken === '' ? shortUid(uid) : hexDigest([uid, resetToken], 8);
  const tail = `-${life}-root`;
  return `${toLabel(name, { max: maxLabelLength - tail.length })}${tail}`;
}

/** The Secret with the guest's user and network data. */
export const cloudInitSecretName = (machine: string): string => childName(machine, 'cloudinit');

/**
 * The guest's host name, from `spec.name`: what people read at the prompt. It is made legal without a hash, so two names that differ
 * only in case or punctuation share one; nothing in the cluster is found by it.
 */
export function guestHostname(name: string): string {
  const legal = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLabelLength)
    .replace(/^-|-$/g, '');
  return legal === '' ? 'vm' : legal;
}
