import { controllerReference, type Manifest } from '../engine/decision.ts';
import { notes, podFinalizer, simulatedLabels } from '../marks.ts';
import type { Claim, ClaimSpec, DataVolume } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import { formatSwitches, type Switches } from '../scenario/switches.ts';
import { cdiAnnotations } from './annotations.ts';
import { inflate } from './size.ts';
import type { DataVolumeView } from './view.ts';

const cdiLabels = { app: 'containerized-data-importer' };
/** Nobody serves this scheduler, so neither the cluster's scheduler nor a node's agent touches an importer pod. */
const schedulerName = 'terrain-simulator';

export const primeNameOf = (claim: Claim): string => `prime-${claim.metadata.uid}`;
export const scratchNameOf = (claimName: string): string => `${claimName}-scratch`;
export const importerNameOf = (claimName: string): string => `importer-${claimName}`;

/** Whether CDI fills a temporary claim and moves its volume over, rather than the claim itself. */
export function usesPopulator({ dataVolume, hasDriver }: DataVolumeView): boolean {
  const forced = dataVolume.metadata.annotations?.[cdiAnnotations.usePopulator];
  return forced === undefined ? hasDriver : forced === 'true';
}

/** The disk asked for, before any overhead; undefined when the request names none. */
export function diskBytesOf({ spec }: DataVolume): number | undefined {
  return bytesOf((spec.storage ?? spec.pvc)?.resources?.requests?.storage);
}

/** The claim's spec, or why there can be none. `sizeBytes` overrides what the request says. */
export function renderClaim(view: DataVolumeView, sizeBytes?: number): { spec: ClaimSpec } | { problem: string } {
  const { dataVolume, storageClass } = view;
  const { storage, pvc } = dataVolume.spec;
  const wanted = pvc ?? storage ?? {};
  // `pvc` is taken as it is; only `storage` fills in modes from the class and adds the overhead of a file system.
  if (pvc !== undefined) return { spec: pvc };
  if (storageClass === undefined && (wanted.accessModes?.length ?? 0) === 0)
    return { problem: 'PVC spec is missing accessMode and no storageClass to choose profile' };
  const volumeMode = wanted.volumeMode ?? 'Filesystem';
  const asked = diskBytesOf(dataVolume);
  if (sizeBytes === undefined && asked === undefined) return { problem: 'PVC Spec is not valid - missing storage size' };
  const bytes = sizeBytes ?? (volumeMode === 'Filesystem' ? inflate(asked ?? 0) : (asked ?? 0));
  return {
    spec: {
      ...wanted,
      accessModes: wanted.accessModes?.length ? wanted.accessModes : ['ReadWriteOnce'],
      volumeMode,
      ...(storageClass === undefined ? {} : { storageClassName: storageClass.metadata.name }),
      resources: { requests: { storage: String(bytes) } },
    },
  };
}

export interface ClaimDetails {
  readonly spec: ClaimSpec;
  readonly annotations: Readonly<Record<string, string>>;
  /** Kind and name of the populator's source; absent on the legacy path. */
  readonly populator?: { readonly kind: string; readonly name: string };
  readonly switches: Switches;
}

/** The DataVolume's claim: all labels and annotations of the DataVolume are copied to it. */
export function desiredClaim(dataVolume: DataVolume, { spec, annotations, populator, switches }: ClaimDetails): Manifest {
  const { name, namespace, uid, labels } = dataVolume.metadata;
  const suppress = { 'alerts.k8s.io/KubePersistentVolumeFillingUp': 'disabled' };
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...cdiLabels, ...(spec.volumeMode === 'Block' ? {} : suppress), ...labels, ...simulatedLabels },
      annotations: {
        ...dataVolume.metadata.annotations,
        [cdiAnnotations.podRestarts]: '0',
        [cdiAnnotations.contentType]: dataVolume.spec.contentType ?? 'kubevirt',
        [cdiAnnotations.preallocationRequested]: 'false',
        [cdiAnnotations.createdForDataVolume]: uid,
        ...(populator === undefined ? {} : { [cdiAnnotations.usePopulator]: 'true' }),
        ...(switches.size === 0 ? {} : { [notes.switches]: formatSwitches(switches) }),
        ...annotations,
      },
      ownerReferences: [controllerReference('DataVolume', dataVolume)],
    },
    spec: { ...spec, ...(populator === undefined ? {} : { dataSourceRef: { apiGroup: 'cdi.kubevirt.io', ...populator } }) },
  };
}

/** The temporary claim of an import. Its age is the import's. */
export function desiredPrime(claim: Claim, nowMs: number): Manifest {
  const { accessModes, resources, storageClassName, volumeMode } = claim.spec;
  return {
    metadata: {
      name: primeNameOf(claim),
      ...(claim.metadata.namespace === undefined ? {} : { namespace: claim.metadata.namespace }),
      labels: { ...claim.metadata.labels, ...cdiLabels, 'velero.io/exclude-from-backup': 'true', ...simulatedLabels },
      annotations: {
        [cdiAnnotations.immediateBinding]: '',
        [cdiAnnotations.importPodName]: importerNameOf(primeNameOf(claim)),
        [notes.since]: String(nowMs),
      },
      ownerReferences: [controllerReference('PersistentVolumeClaim', claim)],
    },
    spec: { accessModes, resources, storageClassName, volumeMode },
  };
}

/** Space for the download beside the disk: as large as the disk again. It goes with the claim it belongs to. */
export function desiredScratch(filled: Claim): Manifest {
  const { resources, storageClassName } = filled.spec;
  return {
    metadata: {
      name: scratchNameOf(filled.metadata.name),
      ...(filled.metadata.namespace === undefined ? {} : { namespace: filled.metadata.namespace }),
      labels: { ...cdiLabels, ...simulatedLabels },
      ownerReferences: [controllerReference('PersistentVolumeClaim', filled)],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName, volumeMode: 'Filesystem' },
  };
}

/** The importer's pod as CDI makes it, but for what would make somebody run it. */
export function desiredImporterPod(view: DataVolumeView, filled: Claim, ordinal: number, hasScratch: boolean): Manifest {
  const { name, namespace, labels } = filled.metadata;
  const { priorityClassName } = view.dataVolume.spec;
  const claimVolume = (volume: string, claimName: string) => ({ name: volume, persistentVolumeClaim: { claimName } });
  return {
    metadata: {
      name: importerNameOf(name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...labels,
        ...cdiLabels,
        'cdi.kubevirt.io': 'importer',
        'prometheus.cdi.kubevirt.io': 'true',
        ...simulatedLabels,
      },
      annotations: {
        [cdiAnnotations.createdBy]: 'yes',
        [notes.ordinal]: String(ordinal),
        [notes.dataVolume]: view.dataVolume.metadata.name,
      },
      finalizers: [podFinalizer],
      ownerReferences: [controllerReference('PersistentVolumeClaim', filled)],
    },
    spec: {
      schedulerName,
      restartPolicy: 'OnFailure',
      // A namespace that is deleted waits half of it for a pod that is slow to go.
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(priorityClassName === undefined ? {} : { priorityClassName }),
      securityContext: { runAsNonRoot: true, runAsUser: 107, fsGroup: 107, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'importer',
          image: 'simulated/cdi-importer:v1.65.0',
          resources: { requests: { cpu: '100m', memory: '60M' }, limits: { cpu: '750m', memory: '600M' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
      volumes: [claimVolume('cdi-data-vol', name), ...(hasScratch ? [claimVolume('cdi-scratch-vol', scratchNameOf(name))] : [])],
    },
  };
}
