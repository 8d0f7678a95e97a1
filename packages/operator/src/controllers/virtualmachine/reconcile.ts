/** One pass over one machine: the only place, with the files it calls, where decisions become effects. */
import { finalizers, kubevirtMachineName, labels, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { after, controllerUid, done, ForeignObjectError, Resource, type Result } from '@terrain/runtime';
import type { GuestInterface } from '#cloudinit/interfaces.ts';
import { cloudInitSecretData } from '#cloudinit/secret-data.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { claimType, secretType } from '#platform/core.ts';
import { type KubevirtMachine, kubevirtMachineType } from '#platform/kubevirt.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { type Decision, decide, type Step, usesAny } from './decide.ts';
import { desiredImage, desiredKubevirtMachine, desiredRootDisk, desiredSecret, inputsOf, isSecretCurrent } from './desired.ts';
import { growthOf } from './disk-size.ts';
import { happenings } from './events.ts';
import { imageNamespaceOf, isGoing, isPaused, wantedDiskName } from './facts.ts';
import { imageState } from './image.ts';
import { observe } from './observe.ts';
import { blockerOf, imageType, isCurrent, machineType, type Pass, refusedAgainMs, save } from './pass.ts';
import { remove, removeDisk, removeMachine } from './removal.ts';
import { type Finding, no, type Snapshot, yes } from './snapshot.ts';

/** Makes the next step of a machine. */
export async function reconcileMachine(pass: Pass): Promise<Result> {
  const { deps, key, writer } = pass;
  const snapshot = observe(deps, key);
  if (snapshot === undefined) {
    deps.quiet.forget(key);
    deps.passwords.forget(key);
    deps.awaitPlatform(key, false);
    return done;
  }
  const { machine, isNamespaceTerminating } = snapshot;
  const hasFinalizer = machine.metadata.finalizers?.includes(finalizers.pelotechCleanup) === true;
  if (!hasFinalizer && !isGoing(machine) && !isPaused(snapshot) && !isNamespaceTerminating) {
    await writer.addFinalizer<VirtualMachine>(machineType, machine, finalizers.pelotechCleanup);
    return after(0);
  }
  return carryOut(pass, snapshot, decide(snapshot));
}

function carryOut(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { step } = decision;
  switch (step.kind) {
    case 'remove':
      return removeMachine(pass, snapshot, { ...decision, kubevirt: snapshot.kubevirt });
    case 'createImage':
      return createImage(pass, snapshot, decision);
    case 'clone':
      return clone(pass, snapshot, decision, step);
    case 'clear':
      return clear(pass, snapshot, decision, step);
    case 'run':
      return run(pass, snapshot, decision);
    case 'rest':
      return save(pass, snapshot, { ...decision, kubevirt: snapshot.kubevirt });
  }
}

/** By POST, under a name others may want at the same moment: whoever comes second finds it there. */
async function createImage(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { deps, writer } = pass;
  const { machine } = snapshot;
  if (!(await isCurrent(pass, machine))) return done;
  const desired = desiredImage(machine);
  const { namespace, name } = desired.metadata;
  try {
    const image = await writer.create<VMDiskImage>(imageType, desired);
    if (image.metadata.labels?.[labels.createdBy] === desired.metadata.labels?.[labels.createdBy])
      deps.record(machine, happenings.imageCreated(`${namespace}/${name}`));
  } catch (error) {
    if (!(error instanceof ForeignObjectError)) {
      const blocker = blockerOf(error, `VMDiskImage ${namespace}/${name}`);
      return save(pass, snapshot, { ...decision, blocker, kubevirt: snapshot.kubevirt });
    }
  }
  return save(pass, snapshot, { ...decision, kubevirt: snapshot.kubevirt });
}

/** A clone is decided on live reads: nothing else would stop one from an image that is just being deleted. */
async function clone(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  step: Extract<Step, { kind: 'clone' }>,
): Promise<Result> {
  const { deps, writer, signal } = pass;
  const { machine, kubevirt } = snapshot;
  const at = { name: step.image.metadata.name, namespace: imageNamespaceOf(machine) };
  const [isSame, image] = await Promise.all([
    isCurrent(pass, machine),
    new Resource<VMDiskImage>(deps.api, imageType).find(at, { signal }),
  ]);
  const state = imageState({ ...snapshot, image });
  // The caches are behind; what they learn next wakes us.
  if (!isSame || state.kind !== 'usable') return done;
  const desired = desiredRootDisk(machine, state.image, state.artifact);
  try {
    const rootDisk = await shown(pass, await writer.create(dataVolumeType, desired), desired);
    const disk = no('Cloning', `clones root disk ${rootDisk.metadata.name}`);
    return save(pass, snapshot, { ...decision, disk, rootDisk, kubevirt });
  } catch (error) {
    const blocker = blockerOf(error, `DataVolume ${desired.metadata.name}`);
    return save(pass, snapshot, { ...decision, blocker, kubevirt });
  }
}

/** The caches show only what has our labels: a disk somebody took them from would seem to be gone for ever. */
async function shown({ deps, signal }: Pass, disk: DataVolume, { metadata }: DataVolume): Promise<DataVolume> {
  const { name = '', namespace, uid, resourceVersion, labels: found = {} } = disk.metadata;
  const wanted = metadata.labels ?? {};
  if (isGoing(disk) || Object.entries(wanted).every(([key, value]) => found[key] === value)) return disk;
  const change = { metadata: { uid, resourceVersion, labels: wanted } };
  return new Resource<DataVolume>(deps.api, dataVolumeType).mergePatch({ name, namespace }, change, { signal });
}

/** Throws disks away: the machine that may be using them goes first, and completely. */
async function clear(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { kubevirt, disks, absent }: Extract<Step, { kind: 'clear' }>,
): Promise<Result> {
  const { deps, signal } = pass;
  const { machine } = snapshot;
  if (!(await isCurrent(pass, machine))) return done;
  // A cache that never showed the snapshot, or shows it no more, is no proof.
  if (absent !== undefined && (await new Resource(deps.api, volumeSnapshotType).find(absent, { signal })) !== undefined)
    return done;
  const { rootDisk, ...others } = decision;
  const report = rootDisk === undefined || disks.includes(rootDisk) ? others : decision;
  if (kubevirt !== undefined) {
    if (!isGoing(kubevirt)) await remove(pass, kubevirtMachineType, kubevirt);
    return save(pass, snapshot, { ...report, kubevirt });
  }
  const at = { name: kubevirtMachineName(machine.metadata.name), namespace: machine.metadata.namespace };
  const unseen = await new Resource<KubevirtMachine>(deps.api, kubevirtMachineType).find(at, { signal });
  // The cache is behind, and the machine may run on what is to be thrown away.
  if (unseen !== undefined && controllerUid(unseen) === machine.metadata.uid && usesAny(unseen, disks)) return after(1000);
  for (const disk of disks) {
    if (isGoing(disk)) continue;
    await removeDisk(pass, disk);
    deps.record(machine, happenings.diskReplaced(disk.metadata.name ?? ''));
  }
  return save(pass, snapshot, { ...report, kubevirt: snapshot.kubevirt });
}

async function run(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { machine, kubevirt, platform } = snapshot;
  const sized = await grow(pass, snapshot, decision);
  const report = (blocker: Finding | undefined, made = kubevirt): Promise<Result> =>
    save(pass, snapshot, { ...decision, ...sized, blocker, kubevirt: made });
  if (!platform.hasKubevirt)
    return report(
      no(
        'PlatformMissing',
        'KubeVirt is not installed in this cluster: VirtualMachines (kubevirt.io/v1) are not served; install it, and the machine goes on by itself',
      ),
    );
  const areNetworksThere = decision.networks.finding.status === 'True';
  // KubeVirt would leave a machine without its networks in Starting, without a word.
  if (!areNetworksThere && kubevirt === undefined) return report(undefined);
  const { interfaces } = decision.networks;
  const inputs = inputsOf(machine, interfaces);
  const isConfigured = snapshot.secret !== undefined && isSecretCurrent(snapshot.secret, inputs);
  if ((!isConfigured || kubevirt === undefined) && !(await isCurrent(pass, machine))) return done;
  const problem = isConfigured || !areNetworksThere ? undefined : await configure(pass, snapshot, decision, inputs);
  // A machine that exists keeps the configuration it has, and is otherwise treated as always.
  if (problem !== undefined && kubevirt === undefined) return report(problem);
  const [made, refusal] = await ensureMachine(pass, snapshot, interfaces);
  return report(refusal ?? problem, made);
}

/** Has the volume made larger, where resources.diskSize has grown; and tells of it. Nothing else waits for that. */
async function grow(
  { deps, signal }: Pass,
  snapshot: Snapshot,
  { rootDisk }: Decision,
): Promise<{ disk?: Finding; atMs?: number }> {
  const growth = rootDisk === undefined ? undefined : growthOf(snapshot, rootDisk);
  if (growth?.request === undefined) return growth === undefined ? {} : { disk: growth.finding };
  const { name = '', namespace, uid, resourceVersion } = snapshot.claim?.metadata ?? {};
  const change = { metadata: { uid, resourceVersion }, spec: { resources: { requests: { storage: growth.request } } } };
  try {
    await new Resource(deps.api, claimType).mergePatch({ name, namespace }, change, { signal });
    return { disk: growth.finding };
  } catch (error) {
    const { message } = blockerOf(error, `a larger PersistentVolumeClaim ${name}`);
    return { disk: yes('ExpansionPending', message), atMs: snapshot.nowMs + refusedAgainMs };
  }
}

async function ensureMachine(
  { writer }: Pass,
  { machine, kubevirt }: Snapshot,
  interfaces: readonly GuestInterface[],
): Promise<[KubevirtMachine | undefined, Finding | undefined]> {
  const desired = desiredKubevirtMachine(machine, interfaces);
  try {
    return [await writer.child(kubevirtMachineType, desired, kubevirt), undefined];
  } catch (error) {
    return [kubevirt, blockerOf(error, `KubeVirt's VirtualMachine ${desired.metadata.name}`)];
  }
}

/** Writes the guest's configuration; or says what it lacks. */
async function configure(
  { deps, key, writer, signal }: Pass,
  { machine, secret }: Snapshot,
  { networks }: Decision,
  inputs: string,
): Promise<Finding | undefined> {
  const passwords = await deps.passwords.read(key, machine, signal);
  if (!(passwords instanceof Map)) return passwords as Finding;
  const instanceId = wantedDiskName(machine);
  const texts = cloudInitSecretData({ vm: machine, instanceId, passwords, interfaces: networks.interfaces });
  const desired = desiredSecret(machine, inputs, texts);
  try {
    await writer.child(secretType, desired, secret);
    return undefined;
  } catch (error) {
    return blockerOf(error, `Secret ${desired.metadata.name}`, { words: false });
  }
}
