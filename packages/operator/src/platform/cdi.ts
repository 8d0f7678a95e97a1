/** CDI's DataVolume: the fields we set or read, and no others. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

export const dataVolumeType: ResourceType = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  namespaced: true,
};

export const dataVolumeApiVersion = 'cdi.kubevirt.io/v1beta1';

/** Annotations of CDI that we set. */
export const cdiAnnotations = {
  /** Without it a DataVolume on a WaitForFirstConsumer class waits for ever for somebody to use it. */
  immediateBinding: 'cdi.kubevirt.io/storage.bind.immediate.requested',
  /** Lets a DataVolume take up a claim of its name that is there already, with what is on it. */
  allowClaimAdoption: 'cdi.kubevirt.io/allowClaimAdoption',
} as const;

/** Selects the pods that download. */
export const importerPodSelector = 'cdi.kubevirt.io=importer';

interface UrlSource {
  readonly url: string;
  readonly secretRef?: string;
  readonly certConfigMap?: string;
  readonly checksum?: string;
}

export interface DataVolumeSource {
  readonly http?: UrlSource;
  readonly s3?: Omit<UrlSource, 'checksum'>;
  readonly gcs?: Omit<UrlSource, 'checksum' | 'certConfigMap'>;
  readonly registry?: Omit<UrlSource, 'checksum'>;
  readonly blank?: Readonly<Record<string, never>>;
  readonly snapshot?: { readonly namespace: string; readonly name: string };
}

interface DataVolumeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface DataVolume extends KubeObject {
  readonly spec: {
    readonly source?: DataVolumeSource;
    readonly storage?: {
      readonly storageClassName?: string;
      readonly resources?: { readonly requests?: { readonly storage?: string } };
    };
  };
  readonly status?: {
    readonly phase?: string;
    readonly progress?: string;
    readonly restartCount?: number;
    readonly conditions?: readonly DataVolumeCondition[];
  };
}

export function conditionOf(dataVolume: DataVolume, type: 'Running' | 'Bound'): DataVolumeCondition | undefined {
  return dataVolume.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether all data has arrived. The claim is Bound a moment later. */
export const isImported = (dataVolume: DataVolume): boolean => dataVolume.status?.phase === 'Succeeded';

/** Whether it may still download: neither complete nor failed for good. */
export const isUnfinished = (dataVolume: DataVolume): boolean =>
  dataVolume.status?.phase !== 'Succeeded' && dataVolume.status?.phase !== 'Failed';

/** Per cent of the download; undefined while CDI knows none. */
export function progressOf(dataVolume: DataVolume): number | undefined {
  const found = /^(\d+(?:\.\d+)?)%$/.exec(dataVolume.status?.progress ?? '');
  return found === null ? undefined : Math.min(100, Number(found[1]));
}
