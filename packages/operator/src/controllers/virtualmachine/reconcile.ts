/** One pass over one machine: the only place, with the files it calls, where decisions become effects. */
import { finalizers, kubevirtMachineName, labels, type VirtualMachine, type VMDiskImage } from '@terrain/api';
import { after, controllerUid, done, ForeignObjectError, Resource, type Result, refusalOf } from '@terrain/runtime';
import { imageType, machineType } from '#controllers/shared/kind.ts';
import { isGoing, removeByUid } from '#controllers/shared/removal.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { type KubevirtMachine, kubevirtMachineType } from '#platform/kubevirt.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { type Decision, decide, type Step, usesAny } from './decide.ts';
import { desiredImage, desiredRootDisk } from './desired.ts';
import { happenings } from './events.ts';
import { imageNamespaceOf, isPaused } from './facts.ts';
import { imageState } from './image.ts';
import { observe } from './observe.ts';
import { obstacleOf } from './obstacles.ts';
import { blockerOf, isCurrent, type Pass, save } from './pass.ts';
import { removeDisk, removeMachine } from './removal.ts';
import { run } from './run.ts';
import { no, type Snapshot } from './snapshot.ts';

/** Makes the next step of a machine. */
export async function reconcileMachine(pass: Pass): Promise<Result> {
  const { deps, key, writer } = pass;
  const snapshot = observe(deps, key);
  if (snapshot === undefined) {
    deps.quiet.forget(key);
    deps.passwords.forget(key);
    deps.obstacles.set(key, undefined);
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
      const obstacle = refusalOf(error) === 'quota' ? { quotaOf: imageNamespaceOf(machine) } : undefined;
      return save(pass, snapshot, { ...decision, blocker, obstacle, kubevirt: snapshot.kubevirt });
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
    const obstacle = obstacleOf(error, {
      kind: 'datavolume',
      name: desired.metadata.name ?? '',
      namespace: machine.metadata.namespace,
    });
    return save(pass, snapshot, { ...decision, blocker, obstacle, kubevirt });
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
  const { deps, writer, signal } = pass;
  const { machine } = snapshot;
  if (!(await isCurrent(pass, machine))) return done;
  // A cache that never showed the snapshot, or shows it no more, is no proof.
  if (absent !== undefined && (await new Resource(deps.api, volumeSnapshotType).find(absent, { signal })) !== undefined)
    return done;
  const { rootDisk, ...others } = decision;
  const report = rootDisk === undefined || disks.includes(rootDisk) ? others : decision;
  if (kubevirt !== undefined) {
    if (!isGoing(kubevirt)) await removeByUid(writer, kubevirtMachineType, kubevirt);
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
