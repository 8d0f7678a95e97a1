import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceSpec } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import { claimType } from '#platform/core.ts';
import { networkType } from '#platform/network.ts';
import { type Deployment, deploymentType, jobType, type Pod } from '#platform/workload.ts';
import { aSnapshot, theWorkspace } from '#testing/workspace-snapshot.ts';
import { decide } from './decide.ts';
import { desiredDeployment } from './desired-cluster.ts';
import { desiredNetwork } from './desired-network.ts';
import { volumeAnnotations } from './desired-volume.ts';
import { childId, no, type Snapshot, stuck } from './snapshot.ts';
import { statusOf } from './status.ts';

const cluster = { name: 'web', containers: [{ name: 'nginx', image: 'nginx:1' }] };
const spec: WorkspaceSpec = {
  containerClusters: [cluster],
  networks: [{ name: 'lan', cidr: '10.20.0.0/24' }],
};
const { policy } = aSnapshot(spec);

const networks = (): [string, KubeObject][] =>
  desiredNetwork(theWorkspace(spec), spec.networks![0]!, policy).map(({ type, desired }) => [
    childId(type, desired.metadata.name),
    desired,
  ]);
const deployment = (status: Deployment['status'], replicas = 1): [string, KubeObject] => {
  const made = desiredDeployment(theWorkspace(spec), cluster, policy);
  const whole: Deployment = { ...made, metadata: { ...made.metadata, generation: 1 }, spec: { ...made.spec, replicas } };
  return [childId(deploymentType, 'web'), status === undefined ? whole : { ...whole, status }];
};
const running = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const pod = (reason: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', labels: { 'pelotech.ot/container-cluster': 'web' } },
  status: { containerStatuses: [{ name: 'nginx', state: { waiting: { reason } } }] },
});

const guarded: WorkspaceSpec = { ...spec, imagePullSecrets: [{ name: 'registry' }] };
const filled: WorkspaceSpec = {
  contentImage: 'content:1',
  volumes: [{ name: 'data', size: '1Gi', localPath: '/data', storageClass: 'fast' }],
};
const claim: [string, KubeObject] = [
  childId(claimType, 'data-volume'),
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data-volume', uid: 'u' } },
];
const fillJob: [string, KubeObject] = [
  childId(jobType, 'data-seed'),
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'data-seed',
      uid: 'j',
      annotations: { [volumeAnnotations.claim]: 'u', [volumeAnnotations.filled]: 'content:1/data' },
    },
  },
];
const fillPod = (trouble: string | number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'data-seed-1',
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'data-seed', uid: 'j', controller: true }],
  },
  status: {
    containerStatuses: [
      {
        name: 'fill',
        state:
          typeof trouble === 'string'
            ? { waiting: { reason: trouble } }
            : { terminated: { exitCode: trouble, message: "cp: can't stat" } },
      },
    ],
  },
});
const fast = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'x' };

const cases: Record<string, { given: Snapshot; want: [phase: string, reason: string, ready: string] }> = {
  'nothing is there yet': { given: aSnapshot(spec), want: ['Provisioning', 'NetworksPending', '0/2'] },
  'everything runs': {
    given: aSnapshot(spec, { children: new Map([...networks(), deployment(running)]) }),
    want: ['Ready', 'Ready', '2/2'],
  },
  'the Deployment of an older generation': {
    given: aSnapshot(spec, { children: new Map([...networks(), deployment({ ...running, observedGeneration: 0 })]) }),
    want: ['Provisioning', 'ContainersNotReady', '1/2'],
  },
  'pods of the former template are still counted': {
    given: aSnapshot(spec, { children: new Map([...networks(), deployment({ ...running, updatedReplicas: 0 })]) }),
    want: ['Provisioning', 'ContainersNotReady', '1/2'],
  },
  'an image cannot be pulled': {
    given: aSnapshot(spec, {
      children: new Map([...networks(), deployment({ observedGeneration: 1, replicas: 1, updatedReplicas: 1 })]),
      pods: [pod('ErrImagePull')],
    }),
    want: ['Failed', 'ContainersFailed', '1/2'],
  },
  'an image cannot be pulled, and a network is still being made: not all is in the hands of a person': {
    given: aSnapshot(spec, {
      children: new Map([deployment({ observedGeneration: 1, replicas: 1, updatedReplicas: 1 })]),
      pods: [pod('ErrImagePull')],
    }),
    want: ['Provisioning', 'ContainersFailed', '0/2'],
  },
  'a quota leaves no room: it may pass': {
    given: aSnapshot(spec, {
      children: new Map([
        ...networks(),
        deployment({
          observedGeneration: 1,
          conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'pods "web" is forbidden: exceeded quota: small' }],
        }),
      ]),
    }),
    want: ['Provisioning', 'QuotaExceeded', '1/2'],
  },
  'a pull secret is missing, and nobody knows yet whether it is needed': {
    given: aSnapshot(guarded, { children: new Map([...networks(), deployment({ observedGeneration: 1, replicas: 1 })]) }),
    want: ['Provisioning', 'PullSecretMissing', '1/2'],
  },
  'a pull secret is missing, and an image cannot be pulled': {
    given: aSnapshot(guarded, {
      children: new Map([...networks(), deployment({ observedGeneration: 1, replicas: 1, updatedReplicas: 1 })]),
      pods: [pod('ErrImagePull')],
    }),
    want: ['Failed', 'PullSecretMissing', '1/2'],
  },
  'a pull secret is missing, and nobody needs it': {
    given: aSnapshot(guarded, { children: new Map([...networks(), deployment(running)]) }),
    want: ['Ready', 'Ready', '2/2'],
  },
  'a volume of a class that does not exist, which is to be filled': {
    given: aSnapshot(filled, { children: new Map([claim]) }),
    want: ['Failed', 'VolumesPending', '0/1'],
  },
  'the content of a volume cannot be pulled': {
    given: aSnapshot(filled, { children: new Map([claim, fillJob]), storageClasses: [fast], pods: [fillPod('ErrImagePull')] }),
    want: ['Failed', 'VolumeFillFailed', '0/1'],
  },
  'filling a volume has failed once: it is tried again': {
    given: aSnapshot(filled, { children: new Map([claim, fillJob]), storageClasses: [fast], pods: [fillPod(1)] }),
    want: ['Provisioning', 'VolumeFillFailed', '0/1'],
  },
  'a volume that is being filled, and a missing pull secret': {
    given: aSnapshot(
      { ...filled, imagePullSecrets: [{ name: 'registry' }] },
      { children: new Map([claim]), storageClasses: [fast] },
    ),
    want: ['Provisioning', 'PullSecretMissing', '0/1'],
  },
  'no Multus': {
    given: aSnapshot(spec, {
      children: new Map([deployment(running)]),
      platform: { hasNetworks: false, hasKubeOvn: false },
    }),
    want: ['Failed', 'NetworkBackendUnavailable', '1/2'],
  },
  'stopped as asked': {
    given: aSnapshot(
      { ...spec, powerState: 'Stopped' },
      { children: new Map([...networks(), deployment({ observedGeneration: 1 }, 0)]) },
    ),
    want: ['Ready', 'Stopped', '2/2'],
  },
  'an image without a source, and containers that wait for it': {
    given: aSnapshot({
      containerClusters: [cluster],
      vms: [{ name: 'vm', backingVMDiskImage: 'debian', resources: { cpu: '1', memory: '1Gi' } }],
    }),
    want: ['Failed', 'DiskImageSourceUnknown', '0/3'],
  },
};

for (const [name, { given, want }] of Object.entries(cases))
  test(name, () => {
    const { phase, conditions = [], ready } = statusOf(given, { blockers: new Map() });
    assert.deepEqual([phase, conditions.find(({ type }) => type === 'Ready')?.reason, ready], want);
    assert.equal(conditions.length, 10, 'every condition is always there');
  });

test('on its way out every part says so, whether its objects are still there or not', () => {
  const workspace = theWorkspace({ ...spec, volumes: [{ name: 'data', size: '1Gi' }] });
  const going = { ...workspace, metadata: { ...workspace.metadata, deletionTimestamp: '2026-01-15T09:59:00Z' } };
  const told = (children: Map<string, KubeObject>) =>
    statusOf(aSnapshot(spec, { workspace: going, children }), {
      because: no('Deleting', 'is being deleted'),
      blockers: new Map(),
    });
  const before = told(new Map([...networks(), deployment(running)]));
  assert.deepEqual(told(new Map()), before, 'not one write more');
  assert.ok((before.components?.length ?? 0) >= 3);
  for (const { phase, message } of before.components ?? [])
    assert.deepEqual([phase, message], ['Provisioning', 'goes with the workspace']);
});

test('what the API server refuses is told at the part it was for', () => {
  const given = aSnapshot(spec, { children: new Map([...networks(), deployment(running)]) });
  const refusal = stuck('RefusedByPlatform', 'Service web is refused: no');
  const { components, phase } = statusOf(given, { blockers: new Map([['ContainerCluster/web', refusal]]) });
  assert.deepEqual([phase, components?.[1]?.message], ['Failed', 'Service web is refused: no']);
});

test('what no entry asks for is removed, and what an entry asks for is not', () => {
  const stray: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'old-volume' } };
  const children = new Map([...networks(), deployment(running), [childId(claimType, 'old-volume'), stray] as const]);
  const decision = decide(aSnapshot(spec, { children }));
  assert.ok(decision.kind === 'work');
  assert.deepEqual(
    decision.plan.leftover.map(({ object }) => object.metadata.name),
    ['old-volume'],
  );
  assert.ok(decision.plan.base.every(({ type, observed }) => type !== networkType || observed !== undefined));
});
