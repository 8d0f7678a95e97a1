/** What people and other programs read about a machine. The only file that names its conditions and phases. */
import {
  kubevirtMachineName,
  type VirtualMachineCondition,
  type VirtualMachineReason,
  type VirtualMachineStatus,
} from '@terrain/api';
import type { GuestInterface } from '#cloudinit/interfaces.ts';
import { conditionOf } from '#controllers/shared/condition.ts';
import { isGoing } from '#controllers/shared/removal.ts';
import type { KubevirtInstance, KubevirtMachine } from '#platform/kubevirt.ts';
import type { Decision } from './decide.ts';
import { imageNamespaceOf, isPaused, isWantedRunning } from './facts.ts';
import type { Obstacle } from './obstacles.ts';
import { type PowerState, powerState } from './power.ts';
import { steadyStatus } from './printable.ts';
import { type Finding, no, type Snapshot, yes } from './snapshot.ts';

/** What a pass found and did. */
export type Report = Omit<Decision, 'step'> & {
  /** As the pass left it; undefined when there is none. */
  readonly kubevirt?: KubevirtMachine | undefined;
  /** What keeps the machine from being made, apart from image, disk and networks. */
  readonly blocker?: Finding | undefined;
  /** What would have to go for the blocker to go. */
  readonly obstacle?: Obstacle;
};

type Verdicts = Readonly<Record<VirtualMachineCondition, Finding>>;

/** The whole status, and when time alone changes it. */
export function statusOf(snapshot: Snapshot, report: Report): { readonly status: VirtualMachineStatus; readonly atMs?: number } {
  const { machine, nowMs, instance } = snapshot;
  const { generation } = machine.metadata;
  const power = powerOf(snapshot, report);
  const interfaces = interfacesOf(report.networks.interfaces, instance);
  const verdicts = verdictsOf(snapshot, report, power, addressText(interfaces));
  const { rootDisk, kubevirt } = report;
  const volumeSnapshot = rootDisk?.spec.source?.snapshot?.name;
  const printableStatus = steadyStatus(kubevirt, report.disk.status === 'True');
  const status: VirtualMachineStatus = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: verdicts.Ready.status === 'True' ? 'Ready' : verdicts.Stalled.status === 'True' ? 'Failed' : 'Provisioning',
    message: verdicts.Ready.message,
    conditions: Object.entries(verdicts).map(([type, verdict]) =>
      conditionOf(type, verdict, { before: machine.status?.conditions ?? [], generation, nowMs, longest: longestMessage }),
    ),
    diskImage: {
      namespace: imageNamespaceOf(machine),
      name: machine.spec.vmDiskImageRef.name,
      ...(volumeSnapshot === undefined ? {} : { volumeSnapshot }),
    },
    ...(rootDisk?.metadata.name === undefined ? {} : { rootDisk: rootDisk.metadata.name }),
    ...(kubevirt === undefined
      ? {}
      : {
          kubevirt: {
            name: kubevirtMachineName(machine.metadata.name),
            ...(printableStatus === undefined ? {} : { printableStatus }),
          },
        }),
    ...(interfaces.length === 0 ? {} : { interfaces }),
  };
  return { status, ...(power.atMs === undefined ? {} : { atMs: power.atMs }) };
}

function powerOf(snapshot: Snapshot, { kubevirt, ...report }: Report): PowerState {
  const waiting = no('Waiting', firstProblem(report)?.message ?? 'the machine is about to be made');
  if (kubevirt === undefined || isGoing(kubevirt)) return { running: waiting, guest: waiting };
  const power = powerState(snapshot, kubevirt);
  // What KubeVirt says of a machine without its disk changes with every step of the copy, and is no more than that.
  const isStuckForDisk = report.disk.status === 'False' && startWords.has(power.running.reason);
  return isStuckForDisk ? { running: waiting, guest: waiting } : power;
}

const startWords: ReadonlySet<VirtualMachineReason> = new Set(['Starting', 'StartFailed', 'Unschedulable']);

/** What people should look at first. */
function firstProblem({ blocker, image, disk, networks }: Omit<Report, 'kubevirt'>): Finding | undefined {
  const isDiskThere = disk.status === 'True';
  const order = [blocker, isDiskThere ? undefined : image, disk, networks.finding];
  // A disk that merely waits says no more than what it waits for.
  return order.find((finding) => finding?.status === 'False' && finding.reason !== 'Waiting');
}

function verdictsOf(snapshot: Snapshot, report: Report, power: PowerState, addresses: string): Verdicts {
  const { image, disk, networks } = report;
  const parts = {
    DiskImageReady: image,
    RootDiskReady: disk,
    NetworksReady: networks.finding,
    Running: power.running,
    GuestReady: power.guest,
  };
  const summary = summaryOf(snapshot, report, power, addresses);
  return { ...parts, ...summary };
}

function summaryOf(
  snapshot: Snapshot,
  report: Report,
  { running, guest }: PowerState,
  addresses: string,
): Pick<Verdicts, 'Ready' | 'Reconciling' | 'Stalled'> {
  const isPowered = isWantedRunning(snapshot.machine)
    ? running.status === 'True' && guest.status === 'True'
    : running.reason === 'Stopped';
  const problem = firstProblem(report);
  const isUsable =
    report.kubevirt !== undefined && report.disk.status === 'True' && report.blocker?.isStuck !== true && isPowered;
  const pause = isPaused(snapshot) ? '; paused by the annotation pelotech.ot/paused: nothing is changed until it is removed' : '';
  if (isUsable) {
    // What is wrong with an image or a network does not hurt a machine that has its disk and runs; people want to know all the same.
    const growing = report.disk.reason === 'ExpansionPending' ? [`; ${report.disk.message}`] : [];
    const notes = [problem, report.image].flatMap((finding) => (finding?.status === 'False' ? [`; ${finding.message}`] : []));
    const message = `${running.message}${addresses}${[...new Set([...notes, ...growing])].join('')}${pause}`;
    return { Ready: yes('Ready', message), Reconciling: no('UpToDate', message), Stalled: no('UpToDate', message) };
  }
  const { reason, message: words, isStuck } = problem ?? (running.status === 'True' ? guest : running);
  const message = `${words}${pause}`;
  if (pause !== '') return { Ready: no('Paused', message), Reconciling: no('Paused', message), Stalled: no('Paused', message) };
  const working: VirtualMachineReason = isStuck === true ? reason : 'Progressing';
  return {
    Ready: no(reason, message),
    Reconciling: isStuck === true ? no(reason, message) : yes('Progressing', message),
    Stalled: isStuck === true ? yes(reason, message) : no(working, message),
  };
}

type InterfaceStatus = NonNullable<VirtualMachineStatus['interfaces']>[number];

function interfacesOf(interfaces: readonly GuestInterface[], instance: KubevirtInstance | undefined): InterfaceStatus[] {
  return interfaces.flatMap(({ name, network, macAddress, addresses }) => {
    if (network === undefined) return [];
    const [ipAddress] = addresses;
    const observedAddress = observedOn(instance, name, ipAddress);
    return [
      {
        network,
        ...(ipAddress === undefined ? {} : { ipAddress }),
        macAddress,
        ...(observedAddress === undefined ? {} : { observedAddress }),
      },
    ];
  });
}

/** The address asked for if the guest has it, else the first it has; only the guest's own agent can tell. */
function observedOn(instance: KubevirtInstance | undefined, name: string, wanted: string | undefined): string | undefined {
  const card = instance?.status?.interfaces?.find((one) => one.name === name);
  if (card?.infoSource?.includes('guest-agent') !== true) return undefined;
  const all = [...(card.ipAddresses ?? []), ...(card.ipAddress === undefined ? [] : [card.ipAddress])];
  return all.find((address) => address === plain(wanted)) ?? all[0];
}

function addressText(interfaces: readonly InterfaceStatus[]): string {
  const differing = interfaces.filter(
    ({ ipAddress, observedAddress }) =>
      ipAddress !== undefined && observedAddress !== undefined && plain(ipAddress) !== observedAddress,
  );
  return differing
    .map(
      ({ network, ipAddress, observedAddress }) =>
        `; the guest has ${observedAddress} on ${network}, where ${ipAddress} was asked for`,
    )
    .join('');
}

const plain = (address: string | undefined): string | undefined => address?.split('/', 1)[0];

const longestMessage = 1000;
