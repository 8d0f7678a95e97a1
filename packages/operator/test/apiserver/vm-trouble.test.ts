import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { ApiError, type KubeObject, type ResourceType } from '@terrain/runtime';
import { ignoreAbsent } from './platform.ts';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import {
  changeSpec,
  childOf,
  conditionOf,
  createMachine,
  createNetwork,
  machine,
  phase,
  reason,
  remove,
  until,
} from './vm-world.ts';

const quick = { speed: 20 };
const quotas: ResourceType = { group: '', version: 'v1', plural: 'resourcequotas', namespaced: true };
const definitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const starts: Record<string, { sim: string; want: string; words: RegExp }> = {
  'no node has room': { sim: 'unschedulable', want: 'Unschedulable', words: /no node takes the machine: .*Insufficient memory/ },
  'starts fail again and again': { sim: 'crashloop', want: 'CrashLooping', words: /failed.*SyncVMI failed/ },
  'an image cannot be pulled': { sim: 'image-missing', want: 'StartFailed', words: /cannot pull an image/ },
};

test('a machine that cannot start says why, loses nothing, and starts when the cause is gone', async (t) => {
  await using stage = await Stage.open({ scenario: quick });
  await stage.startOperator();
  await stage.createImage('debian');
  await Promise.all(
    Object.entries(starts).map(([what, { sim, want, words }]) =>
      t.test(what, async () => {
        await createMachine(stage, sim, { ignoreOnDeploy: true });
        const stopped = await phase(stage, sim, 'Ready');
        const kubevirt = stage.resource(types.kubevirtMachines);
        const at = { name: sim, namespace: stage.namespace };
        await kubevirt.mergePatch(at, { metadata: { annotations: { 'terrain.dev/sim': sim } } });
        await changeSpec(stage, sim, { powerState: 'Running' });
        const troubled = await reason(stage, sim, want);
        assert.equal(troubled.status?.phase, 'Provisioning', 'KubeVirt keeps trying, so it may pass');
        assert.match(troubled.status?.message ?? '', words);
        await kubevirt.mergePatch(at, { metadata: { annotations: { 'terrain.dev/sim': null } } });
        const started = await reason(stage, sim, 'Ready');
        assert.equal(started.status?.rootDisk, stopped.status?.rootDisk);
      }),
    ),
  );
});

const guests: Record<string, { sim: string; spec: object; want: string; words: RegExp }> = {
  'a port that does not answer': {
    sim: 'no-port',
    spec: { guestReadiness: { mode: 'TCP', port: 22 } },
    want: 'GuestStarting',
    words: /waits for port 22 to answer/,
  },
  'an agent that does not connect': {
    sim: 'no-agent',
    spec: { guestReadiness: { mode: 'Agent' } },
    want: 'GuestStarting',
    words: /waits for the guest agent to connect/,
  },
  'a guest that was paused': { sim: 'paused', spec: {}, want: 'GuestPaused', words: /virtctl unpause/ },
  'an address that is another than the one asked for': {
    sim: 'address:10.7.0.9',
    spec: { interfaces: [{ network: 'lan', ipAddress: '10.7.0.5/24' }] },
    want: 'Ready',
    words: /the guest has 10.7.0.9 on lan, where 10.7.0.5\/24 was asked for/,
  },
};

test('a guest that is not as it should be is told of, and heard when it is', async (t) => {
  await using stage = await Stage.open({ scenario: quick });
  await stage.startOperator();
  await stage.createImage('debian');
  await createNetwork(stage, 'lan', { cidr: '10.7.0.0/24' });
  await Promise.all(
    Object.entries(guests).map(([what, { sim, spec, want, words }]) =>
      t.test(what, async () => {
        const name = sim.split(':', 1)[0] ?? '';
        await createMachine(stage, name, { ...spec, ignoreOnDeploy: true });
        await phase(stage, name, 'Ready');
        const at = { name, namespace: stage.namespace };
        const annotate = (value: string | null): Promise<unknown> =>
          stage.resource(types.kubevirtMachines).mergePatch(at, { metadata: { annotations: { 'terrain.dev/sim': value } } });
        await annotate(sim);
        await changeSpec(stage, name, { powerState: 'Running' });
        await until(
          stage,
          name,
          `say ${want}`,
          (found) => conditionOf(found, 'Ready')?.reason === want && words.test(found.status?.message ?? ''),
        );
        await annotate(null);
        await until(stage, name, 'be content', ({ status }) => status?.message === 'the machine runs');
      }),
    ),
  );
});

test('what a machine needs and does not find is named, and awaited', async (t) => {
  await using stage = await Stage.open({ scenario: quick });
  await stage.startOperator();
  await stage.createImage('debian');
  await Promise.all([
    t.test('a network, before and after the machine is made', async () => {
      await createMachine(stage, 'unconnected', { interfaces: [{ network: 'lan' }], ignoreOnDeploy: true });
      const waiting = await reason(stage, 'unconnected', 'NetworkMissing');
      assert.match(waiting.status?.message ?? '', /no NetworkAttachmentDefinition lan in this namespace/);
      assert.equal(
        childOf(stage, types.kubevirtMachines, waiting),
        undefined,
        'KubeVirt would leave it in Starting without a word',
      );
      await createNetwork(stage, 'lan');
      await phase(stage, 'unconnected', 'Ready');
      await remove(stage, types.networks, 'lan');
      await changeSpec(stage, 'unconnected', { powerState: 'Running' });
      await reason(stage, 'unconnected', 'NetworkMissing');
      await createNetwork(stage, 'lan');
      await reason(stage, 'unconnected', 'Ready');
    }),
    t.test('a network nobody can read', async () => {
      await createNetwork(stage, 'garbled', { cidr: 'ten' });
      await createMachine(stage, 'misled', { interfaces: [{ network: 'garbled' }] });
      const failed = await phase(stage, 'misled', 'Failed');
      assert.equal(conditionOf(failed, 'Ready')?.reason, 'NetworkInvalid');
      await stage
        .resource(types.networks)
        .mergePatch(
          { name: 'garbled', namespace: stage.namespace },
          { metadata: { annotations: { 'pelotech.ot/network': null } } },
        );
      await phase(stage, 'misled', 'Ready');
    }),
    t.test('a password', async () => {
      const users = [{ name: 'ada', passwordSecretRef: { name: 'keys', key: 'ada' } }];
      await createMachine(stage, 'locked', { users });
      const waiting = await reason(stage, 'locked', 'SecretMissing');
      assert.match(waiting.status?.message ?? '', /no key ada in Secret keys for user ada/);
      const metadata = { name: 'keys', namespace: stage.namespace };
      await stage.resource<KubeObject>(types.secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata } as KubeObject);
      await stage.resource(types.secrets).mergePatch(metadata, { data: { ada: Buffer.from('opensesame').toString('base64') } });
      const locked = await phase(stage, 'locked', 'Ready');
      const data = childOf(stage, types.secrets, locked)?.data?.userdata ?? '';
      assert.match(Buffer.from(data, 'base64').toString(), /opensesame/);
    }),
    t.test('its name in KubeVirt', async () => {
      const metadata = { name: 'taken', namespace: stage.namespace };
      const template = { spec: { domain: { devices: {} } } };
      const foreign = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata,
        spec: { runStrategy: 'Halted', template },
      };
      await stage.resource<KubeObject>(types.kubevirtMachines).create(foreign as KubeObject);
      await createMachine(stage, 'taken');
      const failed = await phase(stage, 'taken', 'Failed');
      assert.match(failed.status?.message ?? '', /VirtualMachine taken exists already and is not of this machine/);
      await remove(stage, types.kubevirtMachines, 'taken');
      await phase(stage, 'taken', 'Ready');
    }),
  ]);
});

test('room for the root disk that a quota does not leave is awaited', async () => {
  await using stage = await Stage.open({ scenario: quick });
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  const metadata = { name: 'tight', namespace: stage.namespace };
  const spec = { hard: { persistentvolumeclaims: '1' } };
  await stage.resource<KubeObject>(quotas).create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec } as KubeObject);
  await untilCounted(stage);
  await createMachine(stage, 'web');
  const waiting = await reason(stage, 'web', 'QuotaExceeded');
  assert.match(waiting.status?.message ?? '', /no room for root disk .*exceeded quota/);
  await remove(stage, quotas, 'tight');
  await phase(stage, 'web', 'Ready');
});

/** A quota counts for nothing until a controller has looked at it and the API server has heard of that: nothing tells when, so ask. */
async function untilCounted(stage: Stage): Promise<void> {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const metadata = { name: 'probe', namespace: stage.namespace };
  const probe = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec } as KubeObject;
  for (let tries = 0; tries < 1200; tries++) {
    const refusal = await stage
      .resource<KubeObject>(types.claims)
      .create(probe, { dryRun: true })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (refusal instanceof ApiError && refusal.code === 403) return;
    if (refusal !== undefined) throw refusal;
    await setTimeout(100);
  }
  throw new Error(`the quota in ${stage.namespace} is still not in force after two minutes`);
}

/** A kind is gone some time after its definition: nothing tells when, so ask. */
async function untilUnserved(stage: Stage, type: ResourceType): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if ((await stage.resource(type).list().catch(ignoreAbsent)) === undefined) return;
    await setTimeout(100);
  }
  throw new Error(`${type.plural} are still served two minutes after their definition was deleted`);
}

test('without KubeVirt the disk is made and the machine waits; installed, it goes on by itself', async () => {
  await using stage = await Stage.open();
  const upstream = await ensureUpstream();
  await stage.resource(definitions).delete({ name: 'virtualmachines.kubevirt.io' });
  await untilUnserved(stage, types.kubevirtMachines);
  try {
    await stage.startOperator();
    await stage.createImage('debian');
    await createMachine(stage, 'web');
    const waiting = await reason(stage, 'web', 'PlatformMissing');
    assert.match(waiting.status?.message ?? '', /KubeVirt is not installed in this cluster/);
    assert.equal(conditionOf(waiting, 'RootDiskReady')?.status, 'True');
    await createMachine(stage, 'doomed');
    await reason(stage, 'doomed', 'PlatformMissing');
    await remove(stage, types.machines, 'doomed');
    await stage.until('the other to be gone', () => machine(stage, 'doomed') === undefined);
  } finally {
    await installDefinitions(stage.connection, upstream.definitions);
  }
  await phase(stage, 'web', 'Ready');
});
