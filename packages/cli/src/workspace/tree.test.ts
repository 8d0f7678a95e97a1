import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerNetworkName, labels } from '@terrain/api';
import { object, workspace } from '../testing/workspace.ts';
import { renderTree, treeOf } from './tree.ts';

test('a tree shows every part of the spec, also while nothing of it is there', () => {
  assert.equal(
    renderTree(treeOf(workspace(), [])),
    [
      'Workspace lab-7        -  the operator has not seen it yet',
      '├─ VMDiskImage debian  -  not there yet',
      '├─ Network lan         -  not there yet',
      '└─ VirtualMachine web  -  not there yet',
      '',
    ].join('\n'),
  );
});

test('objects hang below their owner, else below the part they were made for, else below the workspace', () => {
  const live = workspace({
    spec: {
      containerClusters: [{ name: 'dns', containers: [{ name: 'bind', image: 'x' }] }],
      volumes: [{ name: 'zones', size: '1Gi' }],
    },
    status: {
      phase: 'Provisioning',
      ready: '2/5',
      message: 'waits for machine web',
      components: [{ kind: 'VirtualMachine', name: 'web', phase: 'Failed', message: 'no image' }],
    },
  });
  const objects = [
    object('VMDiskImage', 'debian', {
      apiVersion: 'pelotech.ot/v1alpha1',
      metadata: { name: 'debian', namespace: 'vmdi-farm', uid: 'i' },
      status: { phase: 'Syncing', progress: '42%', message: 'downloads' },
    }),
    object('VirtualMachine', 'web', { apiVersion: 'pelotech.ot/v1alpha1', status: { phase: 'Provisioning' } }),
    object('VirtualMachine', 'web', {
      apiVersion: 'kubevirt.io/v1',
      owner: 'VirtualMachine/web',
      metadata: {
        name: 'web',
        uid: 'kv',
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'VirtualMachine/web' }],
      },
      status: { printableStatus: 'Stopped' },
    }),
    object('NetworkAttachmentDefinition', 'lan'),
    object('PersistentVolumeClaim', 'zones-volume', { status: { phase: 'Bound' } }),
    object('Deployment', 'dns', { spec: { replicas: 1 }, status: {} }),
    object('ReplicaSet', 'dns-1', { owner: 'Deployment/dns', spec: { replicas: 1 }, status: { readyReplicas: 0 } }),
    object('Pod', 'dns-1-x', {
      owner: 'ReplicaSet/dns-1',
      status: {
        phase: 'Pending',
        containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } }],
      },
    }),
    object('Service', 'anything', { metadata: { name: 'anything', uid: 's', labels: { [labels.containerCluster]: 'dns' } } }),
    object('NetworkPolicy', 'isolation'),
  ];
  assert.equal(
    renderTree(treeOf(live, objects)),
    [
      'Workspace lab-7                           Provisioning 2/5  waits for machine web',
      '├─ VMDiskImage vmdi-farm/debian           Syncing           42%, downloads',
      '├─ Network lan                            -',
      '│  └─ NetworkAttachmentDefinition lan',
      '├─ Volume zones                           -',
      '│  └─ PersistentVolumeClaim zones-volume  Bound',
      '├─ VirtualMachine web                     Failed            no image',
      '│  └─ VirtualMachine.kubevirt.io web      Stopped',
      '├─ ContainerCluster dns                   -',
      '│  ├─ Deployment dns                      0/1 ready',
      '│  │  └─ ReplicaSet dns-1                 0/1 ready',
      '│  │     └─ Pod dns-1-x                   Pending           ImagePullBackOff: not found',
      '│  └─ Service anything',
      '└─ NetworkPolicy isolation',
      '',
    ].join('\n'),
  );
});

test('the definition containers are attached by hangs below its network', () => {
  const { children } = treeOf(workspace(), [object('NetworkAttachmentDefinition', containerNetworkName('lan'))]);
  const network = children.find(({ kind }) => kind === 'Network');
  assert.deepEqual(
    network?.children.map(({ name }) => name),
    [containerNetworkName('lan')],
  );
});

test('of a workspace that goes each part says whether anything is left of it, and who holds it', () => {
  const metadata = { name: 'lab-7', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const components = [{ kind: 'Network', name: 'lan', phase: 'Provisioning', message: 'goes with the workspace' }] as const;
  const held = object('VirtualMachine', 'web', {
    apiVersion: 'pelotech.ot/v1alpha1',
    metadata: { name: 'web', uid: 'm', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] },
  });
  const { state, children } = treeOf(workspace({ metadata, status: { components } }), [held]);
  assert.equal(state, 'Deleting');
  const shown = (wanted: string) => children.filter(({ kind }) => kind === wanted).map((node) => `${node.state} ${node.reason}`);
  assert.deepEqual([shown('Network'), shown('VirtualMachine')], [['Gone '], ['Deleting held by example.com/hold']]);
});
