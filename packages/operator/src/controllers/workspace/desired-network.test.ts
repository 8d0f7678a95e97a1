import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceNetwork } from '@terrain/api';
import { policyOf } from '#policy/policy.ts';
import { theWorkspace } from '#testing/workspace-snapshot.ts';
import { attachedDefinition, desiredNetwork } from './desired-network.ts';

const network: WorkspaceNetwork = {
  name: 'lan',
  cidr: '10.20.0.0/24',
  rangeGateway: '10.20.0.254',
  nameservers: { addresses: ['10.20.0.7'] },
  routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '10.20.0.254' }],
};
type Backend = 'bridge' | 'ovn-kubernetes' | 'kube-ovn';
const madeBy = (networkBackend: Backend, workspace: string) =>
  desiredNetwork(theWorkspace({ networks: [network] }, workspace), network, { ...policyOf(new Map()), networkBackend }).map(
    ({ desired }) => desired,
  );
const configs = (backend: Backend, workspace: string): string[] =>
  madeBy(backend, workspace)
    .filter(({ kind }) => kind === 'NetworkAttachmentDefinition')
    .map((definition) => (definition as unknown as { spec: { config: string } }).spec.config);

for (const backend of ['bridge', 'ovn-kubernetes', 'kube-ovn'] as const) {
  test(`${backend}: two workspaces with one network have nothing in common`, () => {
    const identities = (workspace: string): unknown[] =>
      madeBy(backend, workspace).map(({ kind, metadata, ...rest }) => {
        const { config = '{}' } = (rest as unknown as { spec: { config?: string } }).spec;
        const { bridge, netAttachDefName, provider } = JSON.parse(config) as Record<string, string>;
        return kind === 'NetworkAttachmentDefinition' ? (bridge ?? netAttachDefName ?? provider) : metadata.name;
      });
    const [one, other] = [identities('one'), identities('other')];
    assert.equal(one.length, other.length);
    for (const identity of one) assert.ok(identity !== undefined && !other.includes(identity), String(identity));
  });

  test(`${backend}: guests are told what a card does not tell them`, () => {
    const facts = madeBy(backend, 'one').find(({ metadata }) => metadata.name === 'lan')?.metadata.annotations?.[
      'pelotech.ot/network'
    ];
    assert.deepEqual(JSON.parse(facts ?? ''), {
      cidr: '10.20.0.0/24',
      gateway: '10.20.0.254',
      nameservers: ['10.20.0.7'],
      routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '10.20.0.254' }],
    });
  });

  test(`${backend}: nothing gives the node a place in the lab, or the lab a way out`, () => {
    for (const config of configs(backend, 'one')) assert.doesNotMatch(config, /"(isGateway|ipMasq|natOutgoing)":true/);
  });

  test(`${backend}: containers are attached to a definition that exists`, () => {
    const name = attachedDefinition({ ...policyOf(new Map()), networkBackend: backend }, 'lan');
    assert.ok(madeBy(backend, 'one').some(({ metadata }) => metadata.name === name));
  });
}

test('bridge: machines get no address from the plugin, containers get theirs, on one bridge', () => {
  const [machines, containers] = configs('bridge', 'one').map((config) => JSON.parse(config) as Record<string, unknown>);
  assert.deepEqual(machines?.ipam, {});
  assert.deepEqual(containers?.ipam, { type: 'static', routes: [{ dst: '0.0.0.0/0', gw: '10.20.0.254' }] });
  assert.equal(machines?.bridge, containers?.bridge);
  assert.ok(String(machines?.bridge).length <= 15);
});

test('ovn-kubernetes: no subnets, with which it would choose addresses itself', () => {
  assert.doesNotMatch(configs('ovn-kubernetes', 'one').join(), /subnets/);
});
