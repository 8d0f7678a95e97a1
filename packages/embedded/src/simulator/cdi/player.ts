import { labels } from '@terrain/api';
import { isControlledBy } from '../engine/decision.ts';
import { playerOf, type Scene } from '../engine/player.ts';
import type { Claim, DataVolume, Pod, StorageClass, Volume, VolumeSnapshot } from '../objects.ts';
import { switchesOf } from '../scenario/switches-of.ts';
import { volumeNameOf } from '../storage/bind.ts';
import { decideDataVolume } from './decide.ts';
import { importerNameOf, primeNameOf, scratchNameOf } from './desired.ts';
import type { Missing } from './fault.ts';
import { importSourceOf } from './import-script.ts';
import type { DataVolumeView } from './view.ts';

/** Plays CDI 1.65 for DataVolumes. */
export const dataVolumePlayer = playerOf<DataVolume>({
  part: 'cdi',
  kind: 'DataVolume',
  reads: [
    'PersistentVolumeClaim',
    'PersistentVolume',
    'Pod',
    'StorageClass',
    'CSIDriver',
    'VolumeSnapshot',
    'Secret',
    'ConfigMap',
  ],
  play: (dataVolume, scene) => decideDataVolume(observe(dataVolume, scene), scene.time),
});

function observe(dataVolume: DataVolume, { read, scenario, refusal, attemptAt }: Scene): DataVolumeView {
  const { name, namespace, uid } = dataVolume.metadata;
  const claim = read.get<Claim>('PersistentVolumeClaim', namespace, name);
  const owned = claim !== undefined && isControlledBy(claim, dataVolume) ? claim : undefined;
  const prime = owned && read.get<Claim>('PersistentVolumeClaim', namespace, primeNameOf(owned));
  const filledName = owned && (prime?.metadata.name ?? name);
  const scratch =
    filledName === undefined ? undefined : read.get<Claim>('PersistentVolumeClaim', namespace, scratchNameOf(filledName));
  const pod = filledName === undefined ? undefined : read.get<Pod>('Pod', namespace, importerNameOf(filledName));
  const volume = owned && read.get<Volume>('PersistentVolume', undefined, volumeNameOf(owned));
  const storageClass = classOf(dataVolume, owned, read);
  const source = importSourceOf(dataVolume.spec.source);
  const origin = dataVolume.spec.source?.snapshot;
  const snapshot = origin && read.get<VolumeSnapshot>('VolumeSnapshot', origin.namespace ?? namespace, origin.name);
  const missing = missingFor(namespace, source?.details ?? {}, read);
  const url = source?.details.url ?? '';
  const { switches, problems } = switchesOf(scenario, dataVolume, url);
  const labelled = Number(dataVolume.metadata.labels?.[labels.attempt]);
  return {
    dataVolume,
    ...(claim === undefined ? {} : { claim }),
    ...(prime === undefined ? {} : { prime }),
    ...(scratch === undefined ? {} : { scratch }),
    ...(pod === undefined ? {} : { pod }),
    ...(volume === undefined ? {} : { volume }),
    ...(storageClass === undefined ? {} : { storageClass }),
    isServed: storageClass !== undefined && scenario.provisioners.includes(storageClass.provisioner),
    hasDriver: storageClass !== undefined && read.get('CSIDriver', undefined, storageClass.provisioner) !== undefined,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(missing === undefined ? {} : { missing }),
    attempt: labelled > 0 ? labelled : attemptAt(url, uid),
    ...(refusal === undefined ? {} : { refusal }),
    switches,
    problems,
    scenario,
  };
}

/** The class of the claim, or of the request: named, or the default for machines, or the default. */
function classOf({ spec }: DataVolume, claim: Claim | undefined, read: Scene['read']): StorageClass | undefined {
  const name = claim?.spec.storageClassName ?? (spec.storage ?? spec.pvc)?.storageClassName;
  if (name !== undefined) return read.get<StorageClass>('StorageClass', undefined, name);
  const classes = read.all<StorageClass>('StorageClass');
  return (
    marked(classes, 'storageclass.kubevirt.io/is-default-virt-class') ??
    marked(classes, 'storageclass.kubernetes.io/is-default-class')
  );
}

/** Of several defaults the newest counts. */
function marked(classes: readonly StorageClass[], annotation: string): StorageClass | undefined {
  return classes
    .filter(({ metadata }) => metadata.annotations?.[annotation] === 'true')
    .toSorted((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''))[0];
}

function missingFor(
  namespace: string | undefined,
  source: { secretRef?: string; certConfigMap?: string },
  read: Scene['read'],
): Missing | undefined {
  const { secretRef, certConfigMap } = source;
  if (secretRef !== undefined && secretRef !== '' && read.get('Secret', namespace, secretRef) === undefined)
    return { kind: 'Secret', name: secretRef };
  if (certConfigMap !== undefined && certConfigMap !== '' && read.get('ConfigMap', namespace, certConfigMap) === undefined)
    return { kind: 'ConfigMap', name: certConfigMap };
  return undefined;
}
