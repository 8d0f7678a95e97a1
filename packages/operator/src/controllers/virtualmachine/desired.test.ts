import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestInterfaces } from '#cloudinit/interfaces.ts';
import { aMachine, aReadyImage } from '#testing/machine-world.ts';
import { desiredImage, desiredKubevirtMachine, desiredRootDisk, desiredSecret, inputsOf, isSecretCurrent } from './desired.ts';

const machine = aMachine();
const image = aReadyImage({ spec: { storageClass: 'gp3' } });
const artifact = image.status?.artifact ?? assert.fail('the image has no artifact');
const sizeOf = (diskSize: string | undefined, restoreSize: string | undefined): unknown => {
  const asked = aMachine({ spec: { resources: { cpu: '1', memory: '1Gi', ...(diskSize === undefined ? {} : { diskSize }) } } });
  const { restoreSize: _, ...rest } = artifact;
  return desiredRootDisk(asked, image, { ...rest, ...(restoreSize === undefined ? {} : { restoreSize }) }).spec.storage?.resources
    ?.requests?.storage;
};

const sizes: Record<string, { asked?: string; held?: string; want: string | undefined }> = {
  'none is asked for': { held: '11Gi', want: undefined },
  'a smaller one than the snapshot': { asked: '9Gi', held: '11Gi', want: undefined },
  'just the snapshot’s, which CDI would inflate': { asked: '11Gi', held: '11Gi', want: undefined },
  'a larger one': { asked: '40Gi', held: '11Gi', want: '40Gi' },
  'a snapshot that knows no size': { want: '10Gi' },
  'a snapshot that knows no size, and one is asked for': { asked: '20Gi', held: '0', want: '20Gi' },
  'a snapshot that knows no size, and less is asked for than the image has': { asked: '5Gi', held: '0', want: '10Gi' },
};
for (const [name, { asked, held, want }] of Object.entries(sizes))
  test(`size of the root disk: ${name}`, () => assert.equal(sizeOf(asked, held), want));

test('the root disk is cloned in the machine’s namespace, owned by it, and takes up a claim that is there', () => {
  const { metadata, spec } = desiredRootDisk(machine, image, artifact);
  assert.equal(metadata.namespace, 'lab-7');
  assert.deepEqual(spec.source, { snapshot: { namespace: 'vmdi-farm', name: 'cut-1' } });
  assert.equal(spec.storage?.storageClassName, 'gp3');
  assert.equal(metadata.ownerReferences?.[0]?.uid, machine.metadata.uid);
  assert.deepEqual(Object.keys(metadata.annotations ?? {}).sort(), [
    'cdi.kubevirt.io/allowClaimAdoption',
    'cdi.kubevirt.io/storage.bind.immediate.requested',
  ]);
});

test('an image from a template has the name of the reference, and a label instead of an owner', () => {
  const made = desiredImage(aMachine({ spec: { vmDiskImageTemplate: { sourceType: 'blank', diskSize: '1Gi' } } }));
  assert.deepEqual(
    [made.metadata.namespace, made.metadata.name, made.metadata.ownerReferences],
    ['vmdi-farm', 'debian', undefined],
  );
  assert.equal(made.metadata.labels?.['pelotech.ot/created-by'], 'virtualmachine.lab-7.web');
});

const kubevirt = (change: Parameters<typeof aMachine>[0] = {}) => {
  const made = aMachine(change);
  return desiredKubevirtMachine(made, guestInterfaces(made, new Map())).spec;
};

test('half a processor is a whole one, and power is a run strategy', () => {
  const resources = { cpu: '1500m', memory: '1Gi' };
  assert.equal(kubevirt({ spec: { resources } }).template.spec.domain.cpu.cores, 2);
  assert.deepEqual(
    [
      {},
      { ignoreOnDeploy: true },
      { ignoreOnDeploy: true, powerState: 'Running' as const },
      { powerState: 'Stopped' as const },
    ].map((spec) => kubevirt({ spec }).runStrategy),
    ['Always', 'Halted', 'Always', 'Halted'],
  );
});

test('memory is spelt as KubeVirt shows it, so that a restart finds nothing to change', () => {
  const spelt = aMachine({ spec: { resources: { memory: '2048Mi' } } });
  const { spec } = desiredKubevirtMachine(spelt, guestInterfaces(spelt, new Map()));
  assert.deepEqual(spec.template.spec.domain.memory, { guest: '2Gi' });
});

test('with interfaces the pod network is left out; without, it is all there is', () => {
  assert.deepEqual(kubevirt().template.spec.networks, [{ name: 'nic0', pod: {} }]);
  const { networks, domain } = kubevirt({ spec: { interfaces: [{ network: 'lan' }] } }).template.spec;
  assert.deepEqual(networks, [{ name: 'nic0', multus: { networkName: 'lab-7/lan' } }]);
  assert.deepEqual(Object.keys(domain.devices.interfaces[0] ?? {}).sort(), ['bridge', 'macAddress', 'name']);
});

test('a reset is another instance to cloud-init, and another disk', () => {
  const [first, second] = [kubevirt(), kubevirt({ spec: { resetToken: 'x' } })].map(({ template }) => template.spec);
  assert.notEqual(first?.domain.firmware?.uuid, second?.domain.firmware?.uuid);
  assert.match(first?.domain.firmware?.uuid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notDeepEqual(first?.volumes[0], second?.volumes[0]);
});

test('a Secret is current while neither its inputs nor its content change', () => {
  const inputs = inputsOf(machine, []);
  const secret = desiredSecret(machine, inputs, { userdata: 'a', networkdata: 'b' });
  assert.ok(isSecretCurrent(secret, inputs));
  assert.ok(!isSecretCurrent(secret, inputsOf(aMachine({ spec: { users: [{ name: 'ada' }] } }), [])), 'other users');
  assert.ok(!isSecretCurrent({ ...secret, data: { ...secret.data, userdata: 'eA==' } }, inputs), 'edited by hand');
  assert.ok(!isSecretCurrent({ ...secret, metadata: { ...secret.metadata, deletionTimestamp: '2026-01-15T10:00:00Z' } }, inputs));
});
