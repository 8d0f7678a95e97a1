import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage, WorkspaceSpec } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { imageType, machineType, workspaceType } from '#controllers/shared/kind.ts';
import { claimType, namespaceType } from '#platform/core.ts';
import { networkPolicyType } from '#platform/isolation.ts';
import { subnetType } from '#platform/kube-ovn.ts';
import { networkType } from '#platform/network.ts';
import { deploymentType, type Job, jobType, serviceType } from '#platform/workload.ts';
import { WorkspaceRig } from '#testing/workspace-rig.ts';

const lab: WorkspaceSpec = {
  vms: [{ name: 'router', backingVMDiskImage: 'debian', version: '1.2', resources: { cpu: '1', memory: '1Gi' } }],
  containerClusters: [
    {
      name: 'web',
      interfaces: [{ network: 'lan', ipAddress: '10.20.0.6/24' }],
      containers: [
        {
          name: 'nginx',
          image: 'nginx:1',
          resources: { memory: '2048Mi' },
          portMappings: [{ containerPort: 80, hostPort: 8080 }],
          volumeMounts: [{ name: 'data', containerPath: '/data' }],
        },
      ],
    },
  ],
  networks: [{ name: 'lan', cidr: '10.20.0.0/24' }],
  volumes: [{ name: 'data', size: '1Gi' }],
};
const imageUrlTemplate = 'https://images.example.com/{name}/{version}.qcow2';

async function ready(rig: WorkspaceRig): Promise<void> {
  await rig.create('demo', lab);
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  await rig.syncImage('debian');
  await rig.until('Deployment', () => rig.names(deploymentType).length > 0);
  await rig.standUp();
  await rig.reason('demo', 'Ready');
}

test('from nothing to Ready, each object made once, and then silence', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  await rig.create('demo', lab);
  const waiting = await rig.reason('demo', 'DiskImagesNotReady');
  assert.deepEqual(rig.object<VMDiskImage>(imageType, 'debian')?.spec.url, 'https://images.example.com/router/1.2.qcow2');
  assert.deepEqual([rig.names(deploymentType), rig.names(machineType)], [[], []]);
  assert.deepEqual([rig.names(claimType), rig.names(networkPolicyType)], [['data-volume'], ['workspace-isolation']]);
  assert.equal(waiting.status?.phase, 'Provisioning');
  await rig.syncImage('debian');
  await rig.until('Deployment', () => rig.names(deploymentType).length > 0);
  await rig.standUp();
  const done = await rig.reason('demo', 'Ready');
  assert.equal(done.status?.ready, '5/5');
  const { 'patch workspaces/status': statusWrites = 0, ...writes } = rig.writes();
  assert.deepEqual(writes, {
    'patch workspaces': 1,
    'create namespaces': 1,
    'create networkpolicies': 1,
    'create vmdiskimages': 1,
    'create network-attachment-definitions': 2,
    'create persistentvolumeclaims': 1,
    'create virtualmachines': 1,
    'create services': 1,
    'create deployments': 1,
  });
  assert.ok(statusWrites >= 2 && statusWrites <= 4, `${statusWrites} status writes`);

  rig.fake.log.clear();
  await rig.resource(workspaceType).mergePatch({ name: 'demo' }, { metadata: { annotations: { note: 'x' } } });
  await rig.create('later', { networks: [{ name: 'lan', cidr: '10.20.0.0/24' }] });
  await rig.reason('later', 'Ready');
  const touched = rig.fake.log.requests.filter(
    ({ verb, name, userAgent }) => userAgent === 'terrain' && verb !== 'watch' && name?.includes('demo'),
  );
  assert.deepEqual(touched, []);
});

test('a lab whose images are there is made in one pass', async () => {
  await using rig = await WorkspaceRig.start();
  await rig.resource<VMDiskImage>(imageType).create(aVMDiskImage({ metadata: { name: 'debian', namespace: 'vmdi-farm' } }));
  await rig.syncImage('debian');
  await rig.create('demo', lab);
  await rig.until('Deployment', () => rig.names(deploymentType).length > 0);
  await rig.until('machine', () => rig.names(machineType).length > 0);
  const looks = rig.fake.log.requests.filter(
    ({ verb, resource, userAgent }) => userAgent === 'terrain' && verb === 'get' && resource === 'workspaces',
  );
  assert.equal(looks.length, 1);
});

test('a pass that fails has ended all its writes before the next one begins', async () => {
  const conflict = { fault: 'answer', code: 409, reason: 'Conflict' } as const;
  await using rig = await WorkspaceRig.start(
    { imageUrlTemplate },
    {
      rules: [
        { on: 'request', match: { verb: 'create', resource: imageType.plural }, nth: 1, do: conflict },
        { on: 'request', match: { verb: 'create', resource: claimType.plural }, nth: 1, do: { fault: 'delay', ms: 300 } },
      ],
    },
  );
  await rig.create('demo', lab);
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  const made = rig.fake.log.requests.filter(({ verb }) => verb === 'create').map(({ resource }) => resource);
  // The first request for the image did not get here; this is the one of the second pass.
  assert.ok(made.slice(0, made.indexOf(imageType.plural)).includes(claimType.plural), made.join());
});

test('every child removed by hand is made again', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  await ready(rig);
  for (const type of [machineType, deploymentType, serviceType, networkPolicyType, networkType, claimType]) {
    const { metadata } = rig.objects(type)[0] ?? assert.fail(type.plural);
    const { name = '', namespace, uid } = metadata;
    await rig.resource(type).mergePatch({ name, namespace }, { metadata: { finalizers: null } });
    await rig.resource(type).delete({ name, namespace });
    await rig.until(`new ${type.plural}`, () => {
      const again = rig.object(type, name)?.metadata.uid;
      return again !== undefined && again !== uid;
    });
  }
  await rig.standUp();
  await rig.reason('demo', 'Ready');
});

test('what blocks is told: no image namespace, no source; and each heals when it is there', async () => {
  await using rig = await WorkspaceRig.start({ imageNamespace: 'elsewhere' });
  await rig.create('demo', { vms: lab.vms! });
  const failed = await rig.reason('demo', 'ImageNamespaceMissing');
  assert.equal(failed.status?.phase, 'Failed');
  await rig.resource(namespaceType).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } });
  await rig.reason('demo', 'DiskImageSourceUnknown');
  rig.setPolicy({ imageUrlTemplate });
  await rig.reason('demo', 'DiskImagesNotReady');
});

test('a volume with content is filled before anything mounts it, once in its life', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  await rig.create('demo', { ...lab, contentImage: 'content:1', volumes: [{ name: 'data', size: '1Gi', localPath: '/config' }] });
  await rig.until('Job', () => rig.names(jobType).length === 1);
  await rig.syncImage('debian');
  await rig.until('machine', () => rig.names(machineType).length === 1);
  assert.deepEqual(rig.names(deploymentType), []);
  await rig.standUp();
  await rig.until('Deployment', () => rig.names(deploymentType).length === 1);
  await rig.until('end of the Job', () => rig.names(jobType).length === 0);
  await rig.standUp();
  await rig.reason('demo', 'Ready');
  assert.equal(rig.object(claimType, 'data-volume')?.metadata.annotations?.['pelotech.ot/filled'], 'content:1/config');
});

test('another contentImage replaces a Job that has not filled the volume yet', async () => {
  await using rig = await WorkspaceRig.start();
  const volumes = [{ name: 'data', size: '1Gi', localPath: '/config' }];
  await rig.create('demo', { contentImage: 'content:1', volumes });
  await rig.until('Job', () => rig.names(jobType).length === 1);
  await rig.change('demo', { contentImage: 'content:2' });
  const imageOf = (): string | undefined => rig.objects<Job>(jobType)[0]?.spec.template.spec.containers[0]?.image;
  await rig.until('Job from the other image', () => imageOf() === 'content:2');
  await rig.standUp();
  await rig.reason('demo', 'Ready');
  assert.equal(rig.object(claimType, 'data-volume')?.metadata.annotations?.['pelotech.ot/filled'], 'content:2/config');
});

test('another backend replaces what the networks are made of', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  await ready(rig);
  rig.setPolicy({ networkBackend: 'kube-ovn' });
  await rig.until('Subnet', () => rig.names(subnetType).length === 1);
  await rig.until('one definition', () => rig.names(networkType).length === 1);
  rig.setPolicy({ networkBackend: 'ovn-kubernetes' });
  await rig.until('no Subnet', () => rig.names(subnetType).length === 0);
  const { spec } = rig.object(networkType, 'lan') as unknown as { spec: { config: string } };
  assert.equal((JSON.parse(spec.config) as { netAttachDefName: string }).netAttachDefName, 'workspace-demo/lan');
});

test('a deletion ends with the namespace, and leaves the image to the image controller', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  await ready(rig);
  await rig.resource(workspaceType).delete({ name: 'demo' });
  await rig.until(
    'machine on its way out',
    () => rig.objects(machineType)[0]?.metadata.deletionTimestamp !== undefined || rig.names(machineType).length === 0,
  );
  assert.ok(rig.names(namespaceType).includes('workspace-demo'), 'the namespace goes last');
  for (const { metadata } of rig.objects(machineType))
    await rig
      .resource(machineType)
      .mergePatch({ name: metadata.name ?? '', namespace: metadata.namespace }, { metadata: { finalizers: null } });
  await rig.until('end', () => rig.workspace('demo') === undefined && !rig.names(namespaceType).includes('workspace-demo'));
  assert.equal(rig.object(imageType, 'debian')?.metadata.labels?.['pelotech.ot/created-by'], 'workspace.demo');
});

test('a lab of 20 machines, 20 clusters and 10 networks costs one write per object', async () => {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate });
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const card = (index: number, host: number) => [
    { network: `net-${index % 10}`, ipAddress: `10.${index % 10}.0.${host + Math.floor(index / 10)}/24` },
  ];
  await rig.create('large', {
    networks: range(10).map((index) => ({ name: `net-${index}`, cidr: `10.${index}.0.0/24` })),
    vms: range(20).map((index) => ({
      name: `vm-${index}`,
      backingVMDiskImage: 'debian',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: card(index, 10),
    })),
    containerClusters: range(20).map((index) => ({
      name: `app-${index}`,
      interfaces: card(index, 20),
      containers: [{ name: 'app', image: 'app:1', portMappings: [{ containerPort: 80 }] }],
    })),
  });
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  await rig.syncImage('debian');
  await rig.until('all machines and clusters', () => rig.names(machineType).length + rig.names(deploymentType).length === 40);
  await rig.standUp();
  assert.equal((await rig.reason('large', 'Ready')).status?.ready, '51/51');
  const { 'patch workspaces/status': _, ...writes } = rig.writes();
  assert.deepEqual(writes, {
    'patch workspaces': 1,
    'create namespaces': 1,
    'create networkpolicies': 1,
    'create vmdiskimages': 1,
    'create network-attachment-definitions': 20,
    'create virtualmachines': 20,
    'create services': 20,
    'create deployments': 20,
  });
});
