/** Deleting a machine: KubeVirt's machine, the guest's configuration, the root disk, and with the finalizer its reference, in this order. */
import {
  cloudInitSecretName,
  finalizers,
  kubevirtMachineName,
  labels,
  labelValue,
  managerName,
  type VirtualMachine,
} from '@terrain/api';
import {
  after,
  controllerUid,
  done,
  isNotFound,
  type KubeObject,
  Resource,
  type ResourceType,
  type Result,
} from '@terrain/runtime';
import { instantMs } from '#controllers/shared/condition.ts';
import { machineType } from '#controllers/shared/kind.ts';
import { blockedWords, holdersOf, isGoing, patienceMs, removeByUid } from '#controllers/shared/removal.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { secretType } from '#platform/core.ts';
import { kubevirtMachineType } from '#platform/kubevirt.ts';
import type { Pass } from './pass.ts';
import { no, type Snapshot, type StoredMachine } from './snapshot.ts';
import { type Report, statusOf } from './status.ts';

/** Looks live at each step: what a cache has not shown yet must not be left behind. */
export async function removeMachine(pass: Pass, snapshot: Snapshot, report: Report): Promise<Result> {
  const { deps, key, writer } = pass;
  const { machine } = snapshot;
  const { name } = machine.metadata;
  const kubevirt = await own(pass, machine, kubevirtMachineType, kubevirtMachineName(name));
  if (kubevirt !== undefined && (isGoing(kubevirt) || (await removeByUid(writer, kubevirtMachineType, kubevirt)) === 'going'))
    return waitFor(pass, snapshot, report, [kubevirt]);
  const secret = await own(pass, machine, secretType, cloudInitSecretName(name));
  if (secret !== undefined && (isGoing(secret) || (await removeByUid(writer, secretType, secret)) === 'going'))
    return waitFor(pass, snapshot, report, [secret]);
  const left: KubeObject[] = [];
  for (const disk of await disksOf(pass, machine))
    if (isGoing(disk) || (await removeDisk(pass, disk)) === 'going') left.push(disk);
  if (left.length > 0) return waitFor(pass, snapshot, report, left);
  deps.quiet.forget(key);
  deps.passwords.forget(key);
  deps.awaitPlatform(key, false);
  await writer.removeFinalizer<VirtualMachine>(machineType, machine, finalizers.pelotechCleanup);
  return done;
}

/** Foreground: gone only when its claim is, so that a name never meets the remains of its predecessor. */
export const removeDisk = (pass: Pass, disk: DataVolume): Promise<'gone' | 'going'> =>
  removeByUid(pass.writer, dataVolumeType, disk, 'Foreground');

async function own(
  { deps, signal }: Pass,
  { metadata }: StoredMachine,
  type: ResourceType,
  name: string,
): Promise<KubeObject | undefined> {
  const found = await new Resource<KubeObject>(deps.api, type).find({ name, namespace: metadata.namespace }, { signal });
  return found !== undefined && controllerUid(found) === metadata.uid ? found : undefined;
}

async function disksOf({ deps, signal }: Pass, { metadata }: StoredMachine): Promise<DataVolume[]> {
  const labelSelector = `${labels.managedBy}=${managerName},${labels.virtualMachine}=${labelValue(metadata.name)}`;
  try {
    const found = await new Resource<DataVolume>(deps.api, dataVolumeType).list(
      { namespace: metadata.namespace },
      { labelSelector, signal },
    );
    return found.items.filter((disk) => controllerUid(disk) === metadata.uid);
  } catch (error) {
    // Without CDI there are no disks.
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function waitFor({ writer }: Pass, snapshot: Snapshot, report: Report, left: readonly KubeObject[]): Promise<Result> {
  const { machine, nowMs } = snapshot;
  const leftMs = (instantMs(machine.metadata.deletionTimestamp) ?? nowMs) + patienceMs - nowMs;
  if (leftMs > 0) return after(leftMs);
  const message = blockedWords(left.map(holdersOf));
  const { status } = statusOf(snapshot, { ...report, blocker: no('Deleting', message) });
  await writer.status<VirtualMachine>(machineType, machine, status);
  return after(patienceMs);
}
