import { aVMDiskImage } from '@terrain/api/testing';
import { type KubeObject, Resource } from '@terrain/runtime';
import { percentile } from '../measure/figures.ts';
import type { Stage } from '../measure/stage.ts';
import { types } from '../measure/types.ts';

const rounds = 40;

/**
 * What passing a slot on cannot do without: the status that ends one, the ledger, the status that begins the next, its DataVolume, one after the
 * other, and the watch that tells. Measured before the operator runs, with the simulator behind it.
 */
export async function refillFloor(stage: Stage): Promise<number> {
  const namespace = await stage.namespace();
  const { api } = stage;
  const images = new Resource<KubeObject>(api, types.images);
  const configMaps = new Resource<KubeObject>(api, types.configMaps);
  const volumes = new Resource<KubeObject>(api, types.dataVolumes);
  await images.create(aVMDiskImage({ metadata: { name: 'floor', namespace } }) as KubeObject);
  const at = { name: 'floor', namespace };
  let ledger = await configMaps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: at } as KubeObject);
  await using chronicle = await stage.chronicle(namespace);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await images.mergePatch({ ...at, subresource: 'status' }, { status: { message: `ends ${round}` } });
    ledger = await configMaps.replace({ ...ledger, data: { seq: String(round) } } as KubeObject);
    await images.mergePatch({ ...at, subresource: 'status' }, { status: { message: `begins ${round}` } });
    await volumes.create(dataVolume(namespace, `floor-${round}`));
    await chronicle.until('the DataVolume', 60_000, () => chronicle.volumeCreatedAt.length > round);
    took.push(performance.now() - startedAt);
  }
  // Nobody runs yet who would take its finalizer off.
  await images.mergePatch(at, { metadata: { finalizers: null } });
  await images.delete(at);
  return percentile(took, 50);
}

const dataVolume = (namespace: string, name: string): KubeObject =>
  ({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace, annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
    spec: {
      source: { http: { url: `https://images.example.com/${name}.qcow2` } },
      storage: { resources: { requests: { storage: '1Gi' } } },
    },
  }) as KubeObject;
