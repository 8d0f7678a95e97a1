import { type dataSyncKind, resolveInstall, vmDiskImageKind } from '@terrain/api';
import type { ResourceType } from '@terrain/runtime';

const kind = (group: string, version: string, plural: string): ResourceType => ({ group, version, plural, namespaced: true });
const ours = ({ group, version, plural }: typeof vmDiskImageKind | typeof dataSyncKind): ResourceType =>
  kind(group, version, plural);

export const types = {
  images: ours(vmDiskImageKind),
  dataVolumes: kind('cdi.kubevirt.io', 'v1beta1', 'datavolumes'),
  snapshots: kind('snapshot.storage.k8s.io', 'v1', 'volumesnapshots'),
  configMaps: kind('', 'v1', 'configmaps'),
  events: kind('events.k8s.io', 'v1', 'events'),
} as const;

export const { operatorNamespace, operatorUser } = resolveInstall({});
