import type { VolumeSnapshotClass } from '../objects.ts';
import type { SnapshotView } from './view.ts';

const defaultAnnotation = 'snapshot.storage.kubernetes.io/is-default-class';

export interface Refusal {
  readonly message: string;
}

export function isRefusal(chosen: VolumeSnapshotClass | Refusal): chosen is Refusal {
  return 'message' in chosen;
}

/** The class named, or the default one of the claim's driver, or why there is none. */
export function chooseClass(view: SnapshotView): VolumeSnapshotClass | Refusal {
  const { snapshot, classes } = view;
  const name = snapshot.spec.volumeSnapshotClassName;
  if (name !== undefined) {
    const found = classes.find((candidate) => candidate.metadata.name === name);
    return (
      found ?? {
        message: `Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`,
      }
    );
  }
  const driver = driverOf(view);
  if (typeof driver !== 'string') return driver;
  const defaults = classes.filter(
    (candidate) => candidate.metadata.annotations?.[defaultAnnotation] === 'true' && candidate.driver === driver,
  );
  const [only] = defaults;
  const failed = 'Failed to set default snapshot class with error ';
  if (only === undefined) return { message: `${failed}cannot find default snapshot class` };
  return defaults.length === 1 ? only : { message: `${failed}${defaults.length} default snapshot classes were found` };
}

/** A default class is looked for by the driver of the claim's volume, so an unbound claim has none. */
function driverOf({ snapshot, claim, volume }: SnapshotView): string | Refusal {
  const name = snapshot.spec.source.persistentVolumeClaimName ?? '';
  const failed = 'Failed to set default snapshot class with error ';
  if (claim === undefined)
    return {
      message: `${failed}failed to retrieve PVC ${name} from the lister: "persistentvolumeclaim \\"${name}\\" not found"`,
    };
  if (claim.status?.phase !== 'Bound')
    return { message: `${failed}the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot` };
  return volume?.spec.csi?.driver ?? { message: `${failed}${volume?.metadata.name ?? name} is not a CSI PV` };
}
