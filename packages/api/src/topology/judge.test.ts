import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { largest } from '#testing/largest.ts';
import { validateManifest } from '#validate/validate.ts';
import type { Workspace, WorkspaceSpec } from '#workspace/schema.ts';
import { invalidLabs } from './case/invalid-labs.ts';
import { judgeTopology } from './judge.ts';
import { anyLab, labOf, validLab } from './lab.arbitrary.ts';
import { type ExampleLab, exampleLab, labClusterRanges, write } from './lab.example.ts';

for (const { name, spec, want } of invalidLabs)
  test(`${name} is refused`, () => {
    assert.deepEqual(
      judgeTopology(spec, labClusterRanges).map(({ message }) => message),
      want,
    );
  });

test('no case takes the place of another', () => {
  assert.equal(new Set(invalidLabs.map(({ name }) => name)).size, invalidLabs.length);
});

test('every problem has its field, its value and its rule apart, too', () => {
  const lab = structuredClone(exampleLab);
  lab.networks[3]!.cidr = '10.20.0.1/16';
  assert.deepEqual(judgeTopology(lab, {}, 'spec.workspace'), [
    {
      path: 'spec.workspace.networks[3].cidr',
      value: '10.20.0.1/16',
      rule: 'that is an address inside the network, not its first; write 10.20.0.0/16',
      message:
        'spec.workspace.networks[3].cidr is "10.20.0.1/16", but that is an address inside the network, not its first; write 10.20.0.0/16',
    },
  ]);
});

test('the lab these cases are made from has no problem', () => {
  assert.deepEqual(judgeTopology(exampleLab, labClusterRanges), []);
});

test('the example has no problem, also beside the embedded cluster', () => {
  const file = join(import.meta.dirname, '../../../../examples/seeds/000-workspace.yaml');
  const { spec } = parse(readFileSync(file, 'utf8')) as Workspace;
  assert.ok((spec.networks ?? []).length > 0);
  assert.deepEqual(judgeTopology(spec, labClusterRanges), []);
});

const accepted: Record<string, (lab: ExampleLab) => unknown> = {
  'nothing at all': (lab) => {
    for (const key of Object.keys(lab)) delete (lab as Partial<ExampleLab>)[key as keyof ExampleLab];
  },
  'a card without address': ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: undefined }),
  'a machine and a container cluster of one name': ({ vms }) => write(vms[1]!, { name: 'dns' }),
  'one size of a disk in two spellings': ({ vms }) => {
    write(vms[0]!, { diskSize: '18Gi' });
    write(vms[0]!.resources, { diskSize: '18432Mi' });
  },
  'two ports of the Service that lead to one port': ({ containerClusters }) =>
    containerClusters[0]!.containers[0]!.portMappings!.push({ containerPort: 53, protocol: 'UDP', hostPort: 5353 }),
  'one port for two protocols': ({ containerClusters }) =>
    containerClusters[0]!.containers[1]!.portMappings!.push({ containerPort: 53, protocol: 'TCP', hostPort: 53 }),
  'one port in two clusters': ({ containerClusters }) =>
    containerClusters.push({ ...structuredClone(containerClusters[0]!), name: 'other', interfaces: [] }),
  'one volume in two directories': ({ containerClusters }) =>
    containerClusters[0]!.containers[0]!.volumeMounts!.push({ name: 'zones', containerPath: '/zones/more' }),
  'the last address of an IPv6 network': ({ vms }) =>
    write(vms[0]!.interfaces[2]!, { ipAddress: '2001:db8::ffff:ffff:ffff:ffff/64' }),
  'a runner that reaches the machines by a route': ({ vms }) => {
    vms[0]!.interfaces.shift();
    write(vms[0]!.interfaces[0]!, { ipAddress: '172.16.0.7/28' });
  },
  'one image with one source in two spellings': ({ vms }) => {
    const template = { sourceType: 'http', url: 'https://images.example.com/a.qcow2' };
    write(vms[0]!, { backingVMDiskImage: 'shared', vmDiskImageTemplate: { ...template, diskSize: '10Gi' } });
    write(vms[1]!, { backingVMDiskImage: 'shared', vmDiskImageTemplate: { diskSize: '10240Mi', ...template } });
  },
  'a next hop that no machine of the lab has': ({ networks }) =>
    write(networks[3]!, { routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '10.20.7.7' }] }),
  'a nameserver outside the lab': ({ networks }) => write(networks[3]!, { nameservers: { addresses: ['9.9.9.9'] } }),
};
for (const [name, given] of Object.entries(accepted)) {
  test(`${name} is accepted`, () => {
    const lab = structuredClone(exampleLab);
    given(lab);
    assert.deepEqual(judgeTopology(lab, labClusterRanges), []);
  });
}

test('what the largest legal object gets wrong is only what an API server cannot see: ports and hardware addresses', () => {
  const rules = judgeTopology(largest.Workspace.spec, labClusterRanges).map(({ rule }) => rule);
  assert.deepEqual(
    rules.filter(
      (rule) => !/^port 53\/UDP of Service .* leads to |listens on 53\/UDP already|has it on network .* already/.test(rule),
    ),
    [],
  );
});

test('a valid lab has no problem, neither of form nor of topology', () => {
  fc.assert(
    fc.property(validLab, (spec) => {
      const manifest = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'Workspace', metadata: { name: 'lab' }, spec };
      assert.deepEqual(validateManifest(manifest), []);
      assert.deepEqual(judgeTopology(spec, labClusterRanges), []);
    }),
    { numRuns: 200 },
  );
});

test('anything is judged without a throw, the same each time, and each problem names its field and what to do', () => {
  fc.assert(
    fc.property(fc.oneof(anyLab, fc.anything() as fc.Arbitrary<WorkspaceSpec>), (spec) => {
      const problems = judgeTopology(spec, labClusterRanges);
      assert.deepEqual(judgeTopology(spec, labClusterRanges), problems);
      for (const { path, message, rule } of problems) {
        assert.ok(message.startsWith(`${path} is `) && message.endsWith(`, but ${rule}`), message);
        assert.match(rule, /; |: | is needed| are needed|such as /, message);
      }
    }),
    { numRuns: 500 },
  );
});

test('the work grows with the lab, not with its square', () => {
  const readsOf = (times: number): number => {
    let reads = 0;
    const counted = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (from, key, receiver) => {
          reads++;
          const value: unknown = Reflect.get(from, key, receiver);
          return typeof value === 'object' && value !== null ? counted(value) : value;
        },
      });
    judgeTopology(counted(labOf(times)), labClusterRanges);
    return reads;
  };
  assert.ok(readsOf(8) < 8.1 * readsOf(1));
});
