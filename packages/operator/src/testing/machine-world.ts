/** Machines and what surrounds them, for tests of decisions: the usual case, with what a test cares about written over it. */
import { rootDiskName, sourceHash, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { aVirtualMachine, aVMDiskImage, type Override, stored } from '@terrain/api/testing';
import { controllerReference, type KubeObject } from '@terrain/runtime';
import type { Snapshot, StoredMachine } from '#controllers/virtualmachine/snapshot.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { KubevirtInstance, KubevirtMachine } from '#platform/kubevirt.ts';

export const nowMs = Date.parse('2026-01-15T10:00:00Z');

export const aMachine = (change: Override<VirtualMachine> = {}): StoredMachine =>
  stored(aVirtualMachine({ ...change, metadata: { finalizers: ['pelotech.ot/cleanup'], ...change.metadata } })) as StoredMachine;

/** An image that can be cloned and counts the machines of this world. */
export function aReadyImage(change: Override<VMDiskImage> = {}): VMDiskImage {
  const image = stored(aVMDiskImage(change));
  const artifact = { volumeSnapshot: 'cut-1', dataVolume: 'volume-1', restoreSize: '11Gi', sourceHash: sourceHash(image.spec) };
  const status = {
    observedGeneration: 1,
    phase: 'Succeeded' as const,
    message: 'machines can clone it',
    artifact: { ...artifact, syncedAt: '2026-01-15T09:00:00Z' },
    referencesAsOf: '100',
    conditions: [aCondition('Ready', 'True'), aCondition('Stalled', 'False')],
  };
  return { ...image, status: { ...status, ...image.status } } as VMDiskImage;
}

export const aCondition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: '2026-01-15T09:00:00Z',
});

export const diskNameOf = ({ metadata, spec }: StoredMachine): string =>
  rootDiskName({ ...metadata, ...(spec.resetToken === undefined ? {} : { resetToken: spec.resetToken }) });

export function aRootDisk(
  machine: StoredMachine,
  status: DataVolume['status'] = { phase: 'Succeeded' },
  name?: string,
): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name: name ?? diskNameOf(machine),
      namespace: machine.metadata.namespace,
      uid: 'disk',
      creationTimestamp: '2026-01-15T09:59:00Z',
      ownerReferences: [controllerReference(machine as KubeObject)],
    },
    spec: { source: { snapshot: { namespace: 'vmdi-farm', name: 'cut-1' } }, storage: {} },
    ...(status === undefined ? {} : { status }),
  };
}

export function aKubevirtMachine(runStrategy: string, status: KubevirtMachine['status'] = {}): KubevirtMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'lab-7', uid: 'kubevirt' },
    spec: { runStrategy, template: {} as KubevirtMachine['spec']['template'] },
    status,
  };
}

export const anInstance = (status: KubevirtInstance['status']): KubevirtInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'web', namespace: 'lab-7', uid: 'instance' },
  ...(status === undefined ? {} : { status }),
});

/** A machine that has nothing yet, with its image ready. */
export function aSnapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    machine: aMachine(),
    nowMs,
    image: aReadyImage(),
    imageNamespace: 'there',
    isNamespaceTerminating: false,
    disks: [],
    claim: undefined,
    sources: new Set(['vmdi-farm/cut-1']),
    kubevirt: undefined,
    instance: undefined,
    secret: undefined,
    networks: new Map(),
    platform: {
      hasDataVolumes: true,
      hasKubevirt: true,
      hasNetworks: true,
      hasStorageClass: () => true,
      canExpand: () => true,
    },
    startProblem: undefined,
    ...change,
  };
}
