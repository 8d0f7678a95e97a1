/** All data is there: the guest's configuration and KubeVirt's machine are made, and kept as they should be. */
import { done, Resource, type Result } from '@terrain/runtime';
import type { GuestInterface } from '#cloudinit/interfaces.ts';
import { cloudInitSecretData } from '#cloudinit/secret-data.ts';
import { removeByUid } from '#controllers/shared/removal.ts';
import { claimType, secretType } from '#platform/core.ts';
import { type KubevirtMachine, kubevirtMachineType } from '#platform/kubevirt.ts';
import type { Decision } from './decide.ts';
import { desiredKubevirtMachine, desiredSecret, inputsOf, isSecretCurrent } from './desired.ts';
import { growthOf } from './disk-size.ts';
import { wantedDiskName } from './facts.ts';
import { type Obstacle, obstacleOf } from './obstacles.ts';
import { blockerOf, isCurrent, type Pass, refusedAgainMs, save } from './pass.ts';
import { type Finding, no, type Snapshot, yes } from './snapshot.ts';
import type { Report } from './status.ts';

/** What a part of the step could not do, and what stands in its way. */
type Blocked = { readonly blocker: Finding; readonly obstacle?: Obstacle };

export async function run(pass: Pass, snapshot: Snapshot, decision: Decision): Promise<Result> {
  const { machine, kubevirt, platform } = snapshot;
  const sized = await grow(pass, snapshot, decision);
  const report = (blocked: Blocked | undefined, made = kubevirt): Promise<Result> =>
    save(pass, snapshot, { ...decision, ...sized, ...blocked, kubevirt: made });
  if (!platform.hasKubevirt)
    return report({
      blocker: no(
        'PlatformMissing',
        'KubeVirt is not installed in this cluster: VirtualMachines (kubevirt.io/v1) are not served; install it, and the machine goes on by itself',
      ),
    });
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
): Promise<Pick<Report, 'atMs' | 'obstacle'> & { disk?: Finding }> {
  const growth = rootDisk === undefined ? undefined : growthOf(snapshot, rootDisk);
  if (growth?.request === undefined) return growth === undefined ? {} : { disk: growth.finding };
  const { name = '', namespace, uid, resourceVersion } = snapshot.claim?.metadata ?? {};
  const change = { metadata: { uid, resourceVersion }, spec: { resources: { requests: { storage: growth.request } } } };
  try {
    await new Resource(deps.api, claimType).mergePatch({ name, namespace }, change, { signal });
    return { disk: growth.finding };
  } catch (error) {
    const { message, reason } = blockerOf(error, `a larger PersistentVolumeClaim ${name}`);
    return {
      disk: yes('ExpansionPending', message),
      atMs: snapshot.nowMs + refusedAgainMs,
      obstacle: reason === 'QuotaExceeded' ? { quotaOf: namespace ?? '' } : undefined,
    };
  }
}

async function ensureMachine(
  { writer }: Pass,
  { machine, kubevirt }: Snapshot,
  interfaces: readonly GuestInterface[],
): Promise<[KubevirtMachine | undefined, Blocked | undefined]> {
  const desired = desiredKubevirtMachine(machine, interfaces);
  const { name = '' } = desired.metadata;
  try {
    return [await writer.child(kubevirtMachineType, desired, kubevirt), undefined];
  } catch (error) {
    const obstacle = obstacleOf(error, { kind: 'kubevirt', namespace: machine.metadata.namespace, name });
    return [kubevirt, { blocker: blockerOf(error, `KubeVirt's VirtualMachine ${name}`), obstacle }];
  }
}

/** Writes the guest's configuration; or says what it lacks. */
async function configure(
  { deps, key, writer, signal }: Pass,
  { machine, secret }: Snapshot,
  { networks }: Decision,
  inputs: string,
): Promise<Blocked | undefined> {
  const passwords = await deps.passwords.read(key, machine, signal);
  if (!(passwords instanceof Map)) return { blocker: passwords as Finding };
  const instanceId = wantedDiskName(machine);
  const texts = cloudInitSecretData({ vm: machine, instanceId, passwords, interfaces: networks.interfaces });
  const desired = desiredSecret(machine, inputs, texts);
  const { name = '' } = desired.metadata;
  if (secret?.immutable === true) {
    // It is ours, and the guest has read it: its end wakes us.
    await removeByUid(writer, secretType, secret);
    return { blocker: no('Waiting', `Secret ${name} was made immutable, and is made anew`) };
  }
  try {
    await writer.child(secretType, desired, secret);
    return undefined;
  } catch (error) {
    const obstacle = obstacleOf(error, { kind: 'secret', namespace: machine.metadata.namespace, name });
    return { blocker: blockerOf(error, `Secret ${name}`, { words: false }), obstacle };
  }
}
