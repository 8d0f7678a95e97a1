/** Kinds of Kubernetes itself: the fields we read, and no others. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

const core = (plural: string, namespaced = true): ResourceType => ({ group: '', version: 'v1', plural, namespaced });

export const configMapType = core('configmaps');
export const secretType = core('secrets');
export const podType = core('pods');
export const claimType = core('persistentvolumeclaims');
export const namespaceType = core('namespaces', false);
export const storageClassType: ResourceType = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  namespaced: false,
};

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Secret extends KubeObject {
  readonly type?: string;
  readonly immutable?: boolean;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface Claim extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly allowVolumeExpansion?: boolean;
}

/**
 * The class that counts when none is named: CDI prefers the one marked for virtual machines; of several, Kubernetes takes the newest.
 */
export function defaultStorageClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  const marked = (annotation: string): StorageClass | undefined =>
    [...classes]
      .filter(({ metadata }) => metadata.annotations?.[annotation] === 'true')
      .sort(
        (a, b) =>
          compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
          compareText(a.metadata.name, b.metadata.name),
      )[0];
  return marked('storageclass.kubevirt.io/is-default-virt-class') ?? marked('storageclass.kubernetes.io/is-default-class');
}

const compareText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
