import type { KubeObject } from '@terrain/runtime';
import { simulatedLabels } from '../marks.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** Classes and drivers, so that a cluster with nothing else in it has storage. Made only where nothing of the name exists. */
export function storageManifests({ provisioners }: Scenario): readonly KubeObject[] {
  const labels = simulatedLabels;
  return [
    // CDI takes the populator path only for a class whose provisioner is a known CSI driver.
    ...provisioners.map((name) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name, labels },
      spec: { attachRequired: false, podInfoOnMount: false, fsGroupPolicy: 'File' },
    })),
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard', labels },
      provisioner: 'simulated.terrain.dev',
      allowVolumeExpansion: true,
      volumeBindingMode: 'Immediate',
    } as KubeObject,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'gp3', labels, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'ebs.csi.aws.com',
      parameters: { type: 'gp3' },
      allowVolumeExpansion: true,
      volumeBindingMode: 'Immediate',
    } as KubeObject,
    snapshotClass('standard-snapshot', 'simulated.terrain.dev'),
    snapshotClass('ebs-snapshot', 'ebs.csi.aws.com'),
  ];
}

function snapshotClass(name: string, driver: string): KubeObject {
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name, labels: simulatedLabels, annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } },
    driver,
    deletionPolicy: 'Delete',
  } as KubeObject;
}
