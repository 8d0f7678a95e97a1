/** Multus' NetworkAttachmentDefinition, and how a pod asks for an attachment. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

export const networkType: ResourceType = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  plural: 'network-attachment-definitions',
  namespaced: true,
};

export const networkApiVersion = 'k8s.cni.cncf.io/v1';

/** `config` is JSON; nobody but the plugin it names judges it. */
export interface NetworkDefinition extends KubeObject {
  readonly spec: { readonly config: string };
}

/** On a pod: the networks it is attached to, as a JSON list of attachments. */
export const attachmentsAnnotation = 'k8s.v1.cni.cncf.io/networks';

export interface Attachment {
  readonly name: string;
  readonly namespace: string;
  readonly interface: string;
  readonly mac: string;
  readonly ips?: readonly string[];
}
