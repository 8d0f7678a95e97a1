import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPlan, RequestFault } from '@terrain/runtime/testing';
import { imageType, machineType } from '#controllers/shared/kind.ts';
import { dataVolumeType } from '#platform/cdi.ts';
import { secretType } from '#platform/core.ts';
import { type KubevirtMachine, kubevirtMachineType } from '#platform/kubevirt.ts';
import { lab, MachineRig } from '#testing/machine-rig.ts';

/** Made, stopped, reset, moved to another image and deleted; with everything that was ever created on the way. */
async function life(plan: FaultPlan): Promise<{ created: string[]; lives: number }> {
  await using rig = await MachineRig.start({ plan });
  const vmDiskImageTemplate = { sourceType: 'blank', diskSize: '1Gi' } as const;
  await rig.create('web', { users: [{ name: 'ada', plain_text_passwd: 'secret' }], vmDiskImageTemplate });
  const { status } = await rig.reason('web', 'Ready');
  await rig.change('web', { powerState: 'Stopped' });
  await rig.until('stop', () => rig.only<KubevirtMachine>(kubevirtMachineType).spec.runStrategy === 'Halted');
  await rig.reason('web', 'Ready');
  await rig.change('web', { resetToken: 'again' });
  await rig.until('another disk', () => {
    const found = rig.machine('web')?.status;
    return found?.phase === 'Ready' && found.rootDisk !== undefined && found.rootDisk !== status?.rootDisk;
  });
  await rig.change('web', { vmDiskImageRef: { name: 'made' } });
  await rig.reason('web', 'Ready');
  await rig.resource(machineType).delete({ name: 'web', namespace: lab });
  await rig.until('end', () => rig.machine('web') === undefined);
  for (const type of [dataVolumeType, secretType, kubevirtMachineType])
    assert.deepEqual(rig.objects(type), [], `${type.plural} are left`);
  const created = [dataVolumeType, secretType, kubevirtMachineType, imageType].map((type) => {
    const uids = new Set(rig.fake.changes(type).map(({ object }) => object.metadata.uid));
    return `${uids.size} ${type.plural}`;
  });
  return { created, lives: rig.lives };
}

const write = { verb: 'write', not: { resource: 'events' } } as const;
/** All the writes of a life; `TERRAIN_FAULTS=all` tries each fault at each, otherwise every seventh, another one for each fault. */
const writes = Array.from({ length: 21 }, (_, index) => index + 1);
const isChosen = (nth: number, from: number): boolean => process.env.TERRAIN_FAULTS === 'all' || nth % 7 === (from * 2) % 7;

const faults: Record<string, { fault: RequestFault; lives: number }> = {
  'a process that dies before a write is carried out': { fault: { fault: 'kill-client', when: 'before' }, lives: 2 },
  'a process that dies before it hears of a write': { fault: { fault: 'kill-client', when: 'applied' }, lives: 2 },
  'an answer to a write that is lost': { fault: { fault: 'lose-reply' }, lives: 1 },
};

test('whatever happens at a write changes nothing: the same end, and nothing is made twice', async () => {
  const calm = await life({ rules: [] });
  const trials = Object.entries(faults)
    .flatMap(([name, fault], index) => writes.filter((nth) => isChosen(nth, index)).map((nth) => ({ name, nth, ...fault })))
    .values();
  const worker = async (): Promise<void> => {
    for (const { name, nth, fault, lives } of trials) {
      const hit = await life({ rules: [{ on: 'request', match: write, nth, do: fault }] });
      assert.deepEqual([hit.created, hit.lives], [calm.created, lives], `${name}, at write ${nth}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
});
