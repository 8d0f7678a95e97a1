import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Workspace } from '@terrain/api';
import { until } from '#process/until.ts';
import { apply, fetchFrom, namespaceObject, patience, shellPod } from './real-cluster.ts';
import { knock, linkLocal, lookUp, roles, withVisitor } from './workspace-labs.ts';
import { LabStand, seed } from './workspace-stand.ts';

const timeout = 600_000;
const first = 'demo-workspace-1';
const twin = 'demo-workspace-2';
const both = [first, twin] as const;

describe('workspaces on a real node', { timeout }, () => {
  let labs: LabStand;
  let outside: Server;
  /** Where somebody listens who is not in any lab. */
  let door = '';

  before(
    async () => {
      labs = await LabStand.open();
      const { node, cluster } = labs.stand;
      outside = createServer((socket) => socket.end('outside\n')).listen(0, node.address);
      await once(outside, 'listening');
      door = `${node.address} ${(outside.address() as { port: number }).port}`;
      await labs.submit(seed);
      await labs.create(twin, { ...seed.spec, ...withVisitor });
      await labs.create('roles', roles('broken'));
      await apply(cluster, namespaceObject('street'), shellPod('street', 'stranger', 'true'));
    },
    { timeout },
  );
  after(
    async () => {
      outside?.close();
      await labs?.[Symbol.asyncDispose]();
    },
    { timeout: 60_000 },
  );

  test('the seed as printed runs: each container with its address, routes, nameserver, rights, limits, mounts and variables', async () => {
    const { status } = await labs.ready(first, '12/12');
    assert.equal(status?.message, 'all 12 parts are ready');

    const app = await labs.run(
      first,
      'demo-app',
      [
        'ip -4 addr show net1 | grep -o "inet [^ ]*"',
        'cat /sys/class/net/net1/address',
        'ip route get 198.51.100.7 | grep -o "via.*net1"',
        'cat /etc/resolv.conf',
        'grep -E "Cap(Prm|Eff|Bnd)" /proc/1/status',
        'cat /sys/fs/cgroup/memory/memory.limit_in_bytes || cat /sys/fs/cgroup/memory.max',
        'df -m /config | tail -n 1 | awk \'{ print ($2 > 900 && $2 < 1100) ? "a gibibyte" : $0 }\'',
        'touch /config/x 2>&1',
      ].join('; '),
    );
    const { annotations } = await labs.pod(first, 'demo-app');
    const [card] = JSON.parse(annotations['k8s.v1.cni.cncf.io/networks'] ?? '[]') as { mac: string }[];
    assert.deepEqual(app.stdout.trim().split('\n'), [
      'inet 4.29.163.7/28',
      card?.mac,
      'via 4.29.163.14 dev net1',
      'nameserver 4.29.163.7',
      ...['CapPrm', 'CapEff', 'CapBnd'].map((name) => `${name}:\t0000000000000400`),
      String(256 * 1024 ** 2),
      'a gibibyte',
      'touch: /config/x: Read-only file system',
    ]);

    const ansible = await labs.run(
      first,
      'ansible',
      'ip -4 addr show net1 | grep -o "inet [^ ]*"; ip route | grep -c net1; ip route get 198.51.100.7 | grep -o "dev [^ ]*"; echo "$DEBUG"; ls /var/run/secrets 2>&1',
    );
    assert.deepEqual(ansible.stdout.trim().split('\n'), [
      'inet 10.10.0.141/24',
      '1',
      'dev eth0',
      'true',
      'ls: /var/run/secrets: No such file or directory',
    ]);
  });

  test('its port is reached through the Service, under the name and the address of the Service', async () => {
    await labs.ready(first, '12/12');
    const address = (await labs.kubectl(first, 'get', 'service', 'demo-app', '-o', 'jsonpath={.spec.clusterIP}')).stdout;
    for (const server of [address, 'demo-app', `demo-app.workspace-${first}.svc.cluster.local`])
      assert.match(await labs.runUntil(first, 'ansible', lookUp('router.lab', server)), /4\.29\.163\.6/, server);
  });

  test('an entry that is added changes nothing about the others', async () => {
    await labs.ready(first, '12/12');
    const before = await labs.pod(first, 'demo-app');
    await labs.workspaces.mergePatch({ name: first }, { spec: withVisitor } as Partial<Workspace>);
    await labs.ready(first, '13/13');
    assert.equal((await labs.pod(first, 'demo-app')).name, before.name);
  });

  for (const lab of both)
    test(`${lab}: its containers reach each other on the networks they share, and only those of their own lab`, async () => {
      await labs.ready(lab, '13/13');
      const other = both.find((name) => name !== lab)!;
      const [own, theirs] = await Promise.all([labs.pod(lab, 'demo-app'), labs.pod(other, 'demo-app')]);
      const known = await labs.runUntil(lab, 'visitor', lookUp(`${own.name}.lab`));
      assert.match(known, /Server:\s+4\.29\.163\.7/, 'the nameserver of the network is asked');
      assert.match(known, /127\.0\.0\.1/);
      const unknown = await labs.run(lab, 'visitor', lookUp(`${theirs.name}.lab`));
      assert.match(
        unknown.stdout + unknown.stderr,
        /can't resolve|NXDOMAIN/,
        'the other lab has the same address, and does not answer',
      );
      for (const [from, to, address] of [
        ['visitor', 'ansible', '10.10.0.141'],
        ['ansible', 'visitor', '10.10.0.142'],
        ['demo-app', 'visitor', '4.29.163.8'],
      ] as const) {
        const { name } = await labs.pod(lab, to);
        assert.equal(
          await labs.runUntil(lab, from, fetchFrom(address), (said) => said.trim() !== ''),
          `${name}\n`,
          `${from} to ${to}`,
        );
      }
      assert.equal((await labs.run(lab, 'ansible', knock('4.29.163.7 53'))).stdout, '', 'no network in common');
      assert.equal((await labs.run(lab, 'demo-app', knock('10.10.0.141 8080'))).stdout, '', 'no network in common');
    });

  test('nothing leaves a lab, nothing gets in, and nobody is reached in the other', async () => {
    await Promise.all(both.map((lab) => labs.ready(lab, '13/13')));
    const { shell, cluster, node } = labs.stand;
    await shell.running('street', 'stranger');
    const clusters = ['demo-app', 'ansible', 'visitor'];
    const pods = await Promise.all(both.map((lab) => Promise.all(clusters.map((name) => labs.pod(lab, name)))));
    const doorsOf = (index: number): string[] =>
      pods[index]!.map(({ address }, at) => `${address} ${clusters[at] === 'demo-app' ? 53 : 8080}`);
    const apiServer = [`${node.address} ${cluster.port}`, '10.96.0.1 443'];
    // Whoever is in no lab has the way: these doors are open.
    await shell.execUntil('street', 'stranger', knock(door, ...apiServer), (said) => said.trim().split('\n').length === 3);
    const isShut = (said: string): boolean => said === '';
    await Promise.all(
      both.flatMap((lab, index) =>
        clusters.map(async (name) => {
          const doors = knock(door, ...apiServer, ...doorsOf(1 - index));
          await labs.runUntil(lab, name, doors, isShut);
          assert.equal((await labs.run(lab, name, doors)).stdout, '', `${name} of ${lab} stays in`);
        }),
      ),
    );
    const doors = knock(...doorsOf(0), ...doorsOf(1));
    await shell.execUntil('street', 'stranger', doors, isShut);
    // And the doors of the labs are open to their own.
    const inside = await labs.run(first, 'ansible', knock(...doorsOf(0)));
    assert.deepEqual(inside.stdout.trim().split('\n'), doorsOf(0));
  });

  test('this machine is not there on the networks of a lab', async () => {
    await labs.ready(first, '13/13');
    for (const [network, card] of [
      ['bridge-inet', 'net1'],
      ['control-net', 'net2'],
    ] as const) {
      const bridge = await bridgeOf(first, network);
      const [link] = JSON.parse(execFileSync('ip', ['-j', 'address', 'show', bridge], { encoding: 'utf8' })) as {
        addr_info: unknown;
      }[];
      assert.deepEqual(link?.addr_info, [], network);
      const ping = await labs.run(first, 'visitor', `ping -6 -c 1 -W 2 ${linkLocal(bridge)}%${card}`);
      assert.notEqual(ping.code, 0, network);
      const ask = await labs.run(first, 'visitor', `arping -c 2 -w 2 -I ${card} ${labs.stand.node.address}`);
      assert.match(ask.stdout, /Received 0 /, `${network}: ${ask.stdout}${ask.stderr}`);
    }
  });

  test('deploy roles are run in their place in the lab; what went wrong is quoted; corrected, they are applied', async () => {
    const failed = await labs.settled('roles', 'tell that roles failed', (found) => reasonOf(found) === 'RolesFailed');
    assert.match(messageOf(failed), /the role broken was not found/);
    await labs.workspaces.mergePatch({ name: 'roles' }, { spec: { vms: roles('runtimeChecks').vms } } as Partial<Workspace>);
    await labs.settled('roles', 'have its roles applied', (found) => reasonOf(found) === 'RolesApplied');
    let jobs: readonly string[] = [];
    const isAlone = async () => {
      jobs = (await labs.kubectl('roles', 'get', 'jobs', '-o', 'name')).stdout.trim().split('\n');
      return jobs.length === 1 ? true : undefined;
    };
    await until('the end of the Job of the former roles', isAlone, { ...patience, missing: () => jobs.join() });
    const { stdout } = await labs.kubectl('roles', 'logs', jobs[0]!);
    const [at, inventory = '', playbook = '', recap] = stdout.trim().split('\n');
    assert.deepEqual([at, recap], ['at 10.10.0.150/24', 'PLAY RECAP']);
    const hosts = { router: { ansible_host: '10.10.0.161', ansible_user: 'terrain-deploy' } };
    assert.deepEqual(JSON.parse(inventory.replace('inventory ', '')), { all: { hosts } });
    assert.deepEqual(JSON.parse(playbook.replace('playbook ', '')), [
      { hosts: 'router', become: true, roles: [{ role: 'runtimeChecks', vars: { depth: 3 } }] },
    ]);
  });

  test('a volume is filled from the content image, once, before it is used', async () => {
    await labs.ready('roles', '5/5');
    assert.equal(await labs.runUntil('roles', 'reader', 'cat /config/zone'), 'lab.\n');
    await labs.runUntil('roles', 'reader', 'echo mine > /config/zone');
    await labs.kubectl('roles', 'delete', 'deployment', 'reader', '--timeout=120s');
    await labs.ready('roles', '5/5');
    assert.equal(await labs.runUntil('roles', 'reader', 'cat /config/zone'), 'mine\n', 'what a person wrote is kept');
  });

  test('a container that is gone in one lab is not answered for by the other, and comes back where it was', async () => {
    await Promise.all(both.map((lab) => labs.ready(lab, '13/13')));
    const clusters = withVisitor.containerClusters.map((cluster) =>
      cluster.name === 'demo-app' ? { ...cluster, ignoreOnDeploy: true } : cluster,
    );
    const before = await labs.pod(first, 'demo-app');
    await labs.workspaces.mergePatch({ name: first }, { spec: { containerClusters: clusters } } as Partial<Workspace>);
    await labs.ready(first, '13/13');
    await labs.runUntil(first, 'visitor', knock('4.29.163.7 53'), (said) => said === '');
    assert.equal((await labs.run(twin, 'visitor', knock('4.29.163.7 53'))).stdout, '4.29.163.7 53\n');
    await labs.workspaces.mergePatch({ name: first }, { spec: withVisitor } as Partial<Workspace>);
    await labs.ready(first, '13/13');
    const now = await labs.pod(first, 'demo-app');
    assert.notEqual(now.name, before.name);
    assert.equal(cardsOf(now.annotations), cardsOf(before.annotations), 'the same address and hardware address');
    assert.equal(await labs.runUntil(first, 'visitor', knock('4.29.163.7 53'), (said) => said !== ''), '4.29.163.7 53\n');
  });

  test('labs go without a trace on this machine', async () => {
    const bridges = await Promise.all(both.map((lab) => bridgeOf(lab, 'bridge-inet')));
    assert.ok(bridges.every((name) => existsSync(`/sys/class/net/${name}`)));
    await labs.remove(first, twin, 'roles');
    const areGone = async () => (bridges.some((name) => existsSync(`/sys/class/net/${name}`)) ? undefined : true);
    await until('the end of the bridges of labs that are gone', areGone, patience);
    const { stdout } = await labs.stand.shell.kubectl('get', 'namespaces,persistentvolumes', '-o', 'name');
    assert.doesNotMatch(stdout, /workspace-/);
    await labs.stand.shell.kubectl('delete', 'namespace', 'street', '--timeout=120s');
  });

  async function bridgeOf(lab: string, network: string): Promise<string> {
    const at = ['get', 'network-attachment-definition', network, '-o', 'jsonpath={.spec.config}'];
    return (JSON.parse((await labs.kubectl(lab, ...at)).stdout) as { bridge: string }).bridge;
  }
});

const cardsOf = (annotations: Readonly<Record<string, string>>): unknown => annotations['k8s.v1.cni.cncf.io/networks'];

const rolesCondition = ({ status }: Workspace) => status?.conditions?.find(({ type }) => type === 'DeployRolesApplied');
const reasonOf = (workspace: Workspace): string => rolesCondition(workspace)?.reason ?? '';
const messageOf = (workspace: Workspace): string => rolesCondition(workspace)?.message ?? '';
