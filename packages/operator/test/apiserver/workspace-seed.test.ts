import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerNetworkName, type VirtualMachine } from '@terrain/api';
import { type Thing, types } from './types.ts';
import { conditionsOf, deployments, networkPolicies, seed, services, WorkspaceWorld } from './workspace-world.ts';

interface PodTemplate {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly Readonly<Record<string, unknown>>[] };
}
interface Deployment extends Thing {
  readonly spec: { readonly replicas: number; readonly strategy: unknown; readonly template: PodTemplate };
}

const attachments = ({ spec }: Deployment): unknown[] =>
  JSON.parse(spec.template.metadata.annotations?.['k8s.v1.cni.cncf.io/networks'] ?? '[]') as unknown[];

test('the seed as printed is stood up, every child as it asks, and goes without a trace', async () => {
  await using world = await WorkspaceWorld.open();
  const { stage } = world;
  await world.submit(seed);
  const name = 'demo-workspace-1';
  const ready = await world.phase(name, 'Ready');
  const namespace = stage.informers.get<Thing>(types.namespaces).store.get(`workspace-${name}`);
  assert.equal(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'], 'baseline');
  assert.equal(ready.status?.namespace, `workspace-${name}`);
  assert.equal(ready.status?.ready, '12/12');
  assert.equal(ready.status?.message, 'all 12 parts are ready');
  assert.deepEqual(
    ready.status?.components?.map(({ kind, name: part, phase }) => `${kind} ${part} ${phase}`),
    [
      'VMDiskImage demo-vmdi Ready',
      'Network control-net Ready',
      'Network capture-net Ready',
      'Network bridge-inet Ready',
      'Network bridge-edge Ready',
      'Network edge-fw Ready',
      'Network range-services Ready',
      'Volume monitorconfigs Ready',
      'Volume dnsconfig Ready',
      'VirtualMachine demo-vm Ready',
      'ContainerCluster demo-app Ready',
      'ContainerCluster ansible Ready',
    ],
  );
  assert.deepEqual(conditionsOf(ready), [
    'Valid True Valid',
    'DiskImagesReady True Ready',
    'NetworksReady True Ready',
    'VolumesReady True Ready',
    'VirtualMachinesReady True Ready',
    'ContainersReady True Ready',
    'DeployRolesApplied False RunnerNotConfigured',
    'Ready True Ready',
    'Reconciling False UpToDate',
    'Stalled False UpToDate',
  ]);

  const image = stage.image('demo-vmdi', 'vmdi-farm');
  assert.equal(image?.spec.url, 'https://s3.us-gov-west-1.amazonaws.com/vm-images/images/demo-vm/2.1.0/vm.qcow2');
  assert.deepEqual([image?.spec.sourceType, image?.spec.diskSize, image?.spec.storageClass], ['s3', '18Gi', 'gp3']);

  const machine = world.child<Thing & VirtualMachine>(name, types.machines, 'demo-vm') ?? assert.fail('there is no machine');
  const { vmDiskImageRef, interfaces, resources, ignoreOnDeploy } = machine.spec;
  assert.deepEqual(vmDiskImageRef, { name: 'demo-vmdi', namespace: 'vmdi-farm' });
  assert.deepEqual(resources, { cpu: '2', memory: '2Gi', diskSize: '18Gi' });
  assert.deepEqual(interfaces, seed.spec.vms?.[0]?.interfaces);
  assert.equal(ignoreOnDeploy, true);
  assert.equal(machine.metadata.labels?.['pelotech.ot/build-roles'], 'specialize.linuxRouter');

  const facts = (network: string): unknown =>
    JSON.parse(world.child(name, types.networks, network)?.metadata.annotations?.['pelotech.ot/network'] ?? '');
  assert.deepEqual(facts('bridge-inet'), {
    cidr: '4.29.163.0/28',
    gateway: '4.29.163.14',
    nameservers: ['4.29.163.7'],
    routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '4.29.163.14' }],
  });
  assert.equal(seed.spec.networks?.length, 6);
  for (const { name: network, cidr, rangeGateway, nameservers, routes = [] } of seed.spec.networks ?? []) {
    const gateway = rangeGateway === undefined ? {} : { gateway: rangeGateway };
    assert.deepEqual(facts(network), { cidr, ...gateway, nameservers: nameservers?.addresses ?? [], routes }, network);
    const definition = world.child<Thing>(name, types.networks, containerNetworkName(network))?.spec?.config as string;
    assert.deepEqual(
      (JSON.parse(definition) as { ipam: unknown }).ipam,
      {
        type: 'static',
        routes: routes.map(({ destinationNetworkCidr: dst, nextHopIpAddress: gw }) => ({ dst, gw })),
      },
      network,
    );
  }

  const app = world.child<Deployment>(name, deployments, 'demo-app') ?? assert.fail('there is no demo-app');
  assert.deepEqual([app.spec.replicas, (app.spec.strategy as { type: string }).type], [1, 'Recreate']);
  const [attached] = attachments(app) as { name: string; namespace: string; ips: string[]; mac: string }[];
  assert.deepEqual([attached?.namespace, attached?.ips], [`workspace-${name}`, ['4.29.163.7/28']]);
  const config = world.child<Thing>(name, types.networks, attached?.name ?? '')?.spec?.config as string;
  const { bridge, ipam, isGateway, macspoofchk } = JSON.parse(config) as Record<string, unknown>;
  assert.deepEqual([isGateway, macspoofchk], [false, true]);
  assert.deepEqual(ipam, { type: 'static', routes: [{ dst: '0.0.0.0/0', gw: '4.29.163.14' }] });
  const forMachines = JSON.parse(world.child<Thing>(name, types.networks, 'bridge-inet')?.spec?.config as string) as {
    bridge: string;
    ipam: unknown;
  };
  assert.deepEqual(
    [forMachines.bridge, forMachines.ipam],
    [bridge, {}],
    'machines and containers meet, and only containers get an address',
  );
  const pod = app.spec.template.spec;
  assert.equal(pod.dnsPolicy, 'None');
  assert.deepEqual(pod.dnsConfig, { nameservers: ['4.29.163.7'] });
  assert.equal(pod.automountServiceAccountToken, false);
  assert.deepEqual(pod.volumes, [{ name: 'dnsconfig', persistentVolumeClaim: { claimName: 'dnsconfig-volume' } }]);
  const [chef] = pod.containers;
  const size = { cpu: '128m', memory: '256Mi' };
  assert.equal(chef?.image, 'ghcr.io/demo/demo-containers/demo-app:1.0.2');
  assert.deepEqual(chef?.securityContext, { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } });
  assert.deepEqual(chef?.volumeMounts, [{ name: 'dnsconfig', mountPath: '/config', readOnly: true }]);
  assert.deepEqual(chef?.ports, [{ containerPort: 53, protocol: 'UDP' }]);
  assert.deepEqual(chef?.resources, { requests: size, limits: size });
  const service = world.child(name, services, 'demo-app')?.spec as { ports: Record<string, unknown>[]; selector: unknown };
  assert.deepEqual(
    service.ports.map(({ port, targetPort, protocol, nodePort }) => [port, targetPort, protocol, nodePort]),
    [[53, 53, 'UDP', undefined]],
  );

  const runner = world.child<Deployment>(name, deployments, 'ansible') ?? assert.fail('there is no ansible');
  assert.deepEqual((attachments(runner) as { ips: string[] }[])[0]?.ips, ['10.10.0.141/24']);
  assert.deepEqual(runner.spec.template.spec.containers[0]?.env, [{ name: 'DEBUG', value: 'true' }]);
  assert.equal(runner.spec.template.spec.dnsPolicy, 'ClusterFirst', 'its network has no nameservers');
  assert.equal(world.child(name, services, 'ansible'), undefined);

  const isolation = world.child(name, networkPolicies, 'workspace-isolation')?.spec;
  assert.deepEqual([isolation?.podSelector, isolation?.policyTypes], [{}, ['Ingress', 'Egress']]);
  assert.deepEqual(
    world
      .children(name, types.claims)
      .flatMap(({ metadata, status }) => (metadata.name?.endsWith('-volume') ? [`${metadata.name} ${status?.phase}`] : []))
      .sort(),
    ['dnsconfig-volume Bound', 'monitorconfigs-volume Bound'],
  );

  await world.until(
    'the image to be left to the last machine',
    () => stage.image('demo-vmdi', 'vmdi-farm')?.metadata.labels?.['pelotech.ot/created-by'] === `workspace.${name}`,
  );
  await world.remove(name);
  assert.equal(world.child(name, types.machines, 'demo-vm'), undefined);
});
