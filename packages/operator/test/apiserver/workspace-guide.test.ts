/** The guide from a helm chart to a Workspace: what the operator makes does what the chart did. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VirtualMachine, Workspace } from '@terrain/api';
import { parse, parseAllDocuments } from 'yaml';
import { type Thing, types } from './types.ts';
import { deployments, networkPolicies, services, WorkspaceWorld } from './workspace-world.ts';

const root = join(import.meta.dirname, '../../../..');
const guide = readFileSync(join(root, 'docs/guides/from-a-helm-chart.md'), 'utf8');
const example = readFileSync(join(root, 'examples/workspaces/shop-lab.yaml'), 'utf8');
const block = (name: string): string => new RegExp(`^\`\`\`yaml ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1] ?? '';

const chart = parseAllDocuments(block('chart')).map((document) => document.toJS() as Thing);
/** Anything in an object of the chart. */
const inChart = <T>(kind: string): T => (chart.find((object) => object.kind === kind)?.spec ?? assert.fail(kind)) as T;

interface Container {
  readonly image: string;
  readonly env: unknown;
  readonly resources: { readonly limits: unknown };
  readonly volumeMounts: unknown;
  readonly ports: readonly { readonly containerPort: number }[];
}
interface Workload {
  readonly template: {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly Container[]; readonly dnsPolicy: string; readonly dnsConfig: unknown };
  };
}
interface Machine {
  readonly template: {
    readonly spec: { readonly domain: { readonly cpu: { readonly cores: number }; readonly memory: { readonly guest: string } } };
  };
}

const addresses = ({ template }: Workload): unknown =>
  (JSON.parse(template.metadata.annotations['k8s.v1.cni.cncf.io/networks'] ?? '[]') as { ips: string[] }[]).map(({ ips }) => ips);

test('the guide shows the example, and has a place for every kind of the chart', () => {
  assert.equal(block('workspace'), example.slice(example.indexOf('\n') + 1));
  assert.equal(chart.length, 8);
  for (const { kind } of chart) assert.match(guide, new RegExp(`^\\| [^|]*${kind}`, 'm'), kind);
});

test('the Workspace of the guide makes what its chart made', async () => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  const workspace = parse(example) as Workspace;
  await world.submit(workspace);
  await world.phase('shop-lab', 'Ready');

  const made = (world.child('shop-lab', deployments, 'shop')?.spec ??
    assert.fail('there is no Deployment')) as unknown as Workload;
  const before = inChart<Workload>('Deployment');
  const [is, was] = [made, before].map(({ template }) => template.spec.containers[0]!) as [Container, Container];
  assert.deepEqual([is.image, is.env, is.resources.limits], [was.image, was.env, was.resources.limits]);
  assert.deepEqual(is.volumeMounts, was.volumeMounts);
  assert.deepEqual(
    is.ports.map(({ containerPort }) => containerPort),
    was.ports.map(({ containerPort }) => containerPort),
  );
  assert.deepEqual(addresses(made), addresses(before));
  assert.deepEqual(made.template.spec.dnsConfig, before.template.spec.dnsConfig);

  type Ports = { readonly ports: readonly { readonly port: number; readonly targetPort: number }[] };
  const service = world.child('shop-lab', services, 'shop')?.spec as unknown as Ports;
  const portsOf = ({ ports }: Ports): unknown => ports.map(({ port, targetPort }) => [port, targetPort]);
  assert.deepEqual(portsOf(service), portsOf(inChart<Ports>('Service')));

  type Sized = { readonly resources: { readonly requests: unknown } };
  const claim = world.child('shop-lab', types.claims, 'uploads-volume')?.spec as unknown as Sized;
  assert.deepEqual(claim.resources.requests, inChart<Sized>('PersistentVolumeClaim').resources.requests);

  const machine = world.child<Thing & VirtualMachine>('shop-lab', types.machines, 'database') ?? assert.fail('no machine');
  const { cpu, memory } = inChart<Machine>('VirtualMachine').template.spec.domain;
  assert.deepEqual([machine.spec.resources.cpu, machine.spec.resources.memory], [String(cpu.cores), memory.guest]);
  const networkdata = (chart.find(({ kind }) => kind === 'Secret') as { stringData?: { networkdata: string } }).stringData
    ?.networkdata;
  assert.ok(networkdata?.includes(machine.spec.interfaces?.[0]?.ipAddress ?? 'nothing'));
  type Source = { readonly source: { readonly http: { readonly url: string } } };
  const image = world.stage.image('shop-database', 'vmdi-farm');
  assert.equal(image?.spec.url, inChart<Source>('DataVolume').source.http.url);
  assert.ok(world.child('shop-lab', types.networks, 'lan') !== undefined);
  assert.equal(world.children('shop-lab', networkPolicies).length, 1);
});
