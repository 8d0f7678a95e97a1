/** Names and addresses that come from an object's UID, for things no namespace keeps apart: host bridges, overlay networks, MACs. */
import { base32Digest, byteDigest, hexDigest } from '#hash/digest.ts';
import { toLabel } from './label.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Eight characters that tell two objects of one name apart, such as a re-made image from its predecessor. They only keep two lives of
 * a name from meeting; who owns a child is always judged by the whole UID in its owner reference.
 */
export const shortUid = (uid: string): string => (uuid.test(uid) ? uid.slice(0, 8) : hexDigest([uid], 8));

/**
 * The Linux bridge of a workspace network: 15 characters, the most a network interface may have.
 * Bridge names are global on a node, so they come from the workspace's UID: two labs with a network of one name never meet.
 */
export const bridgeName = (workspaceUid: string, network: string): string => `tn${base32Digest([workspaceUid, network], 13)}`;

/**
 * The cluster-wide name of a workspace network in an overlay. To OVN-Kubernetes two definitions with one name are one network, and
 * for Kube-OVN it names the cluster-scoped Vpc and Subnet; a namespace does not keep them apart, the workspace's UID does.
 */
export const overlayNetworkName = (workspaceUid: string, network: string): string =>
  toLabel(`ws-${uuid.test(workspaceUid) ? workspaceUid : base32Digest([workspaceUid], 26)}-${network}`);

/**
 * The MAC address of a machine's interface: stable for the life of the VirtualMachine however often what is below it is made again.
 * Locally administered (bit 1 of the first byte set) and unicast (bit 0 clear), so it can never be a vendor's or a group address.
 */
export function macAddress(machineUid: string, network: string): string {
  const bytes = byteDigest([machineUid, network], 6);
  bytes[0] = (bytes[0]! & 0b1111_1100) | 0b0000_0010;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}
