/** What KubeVirt makes of the machine, and how far its guest is. Pure. */
import { instantMs } from '#controllers/shared/condition.ts';
import { shorten } from '#platform/failure.ts';
import { isUnderWay, type KubevirtMachine, kubevirtCondition } from '#platform/kubevirt.ts';
import { isWantedRunning } from './facts.ts';
import { isHeld } from './printable.ts';
import { type Finding, no, type Snapshot, type StoredMachine, yes } from './snapshot.ts';

/** A guest that has not answered in this time is worth a word about why. */
const guestPatienceMs = 600_000;

export type PowerState = {
  readonly running: Finding;
  readonly guest: Finding;
  /** When time alone changes what is said. */
  readonly atMs?: number;
};

/** `kubevirt` is the machine as this pass left it. */
export function powerState(snapshot: Snapshot, kubevirt: KubevirtMachine): PowerState {
  return isWantedRunning(snapshot.machine) ? running(snapshot, kubevirt) : stopped(snapshot, kubevirt);
}

function stopped({ machine, instance }: Snapshot, kubevirt: KubevirtMachine): PowerState {
  const isOver = kubevirt.spec.runStrategy === 'Halted' && !isUnderWay(instance) && kubevirt.status?.created !== true;
  const why = machine.spec.powerState === 'Stopped' ? 'powerState asks' : 'ignoreOnDeploy asks; powerState Running starts it';
  const finding = isOver ? no('Stopped', `stopped, as ${why}`) : no('Stopping', 'the machine shuts down');
  return { running: finding, guest: finding };
}

function running(snapshot: Snapshot, kubevirt: KubevirtMachine): PowerState {
  const { machine } = snapshot;
  const { printableStatus = '' } = kubevirt.status ?? {};
  const isReady = kubevirtCondition(kubevirt, 'Ready')?.status === 'True';
  const isUp = (printableStatus === 'Running' || printableStatus === 'Migrating') && !isHeld(kubevirt);
  const isProbed = machine.spec.guestReadiness?.mode === 'TCP';
  if (isUp && (isReady || isProbed)) {
    const restart = kubevirtCondition(kubevirt, 'RestartRequired');
    const finding =
      restart?.status === 'True'
        ? yes(
            'RestartRequired',
            `runs; a change takes effect when the machine is stopped the next time: ${shorten(restart.message ?? 'KubeVirt says no more')}`,
          )
        : yes('Running', 'the machine runs');
    return { running: finding, ...guest(snapshot, kubevirt, isReady) };
  }
  const finding = starting(snapshot, kubevirt, printableStatus);
  return { running: finding, guest: no('Waiting', finding.message) };
}

function starting({ startProblem }: Snapshot, kubevirt: KubevirtMachine, printable: string): Finding {
  const told = (type: string): string | undefined => {
    const condition = kubevirtCondition(kubevirt, type);
    return condition?.status === 'False' && (condition.message ?? '') !== '' ? shorten(condition.message ?? '') : undefined;
  };
  const words = told('Synchronized') ?? startProblem;
  const failures = kubevirt.status?.startFailure?.consecutiveFailCount ?? 0;
  const failure = kubevirtCondition(kubevirt, 'Failure');
  if (isHeld(kubevirt)) return no('GuestPaused', 'the machine was paused in KubeVirt; unpause it there (virtctl unpause)');
  switch (printable) {
    case 'Stopping':
    case 'Terminating':
      return no('Stopping', 'KubeVirt ends the machine, and starts it again');
    case 'ErrorUnschedulable':
      return no('Unschedulable', `no node takes the machine: ${told('PodScheduled') ?? 'KubeVirt says no more'}`);
    case 'ErrImagePull':
    case 'ImagePullBackOff':
      return no('StartFailed', "KubeVirt cannot pull an image the machine's pod needs; the events of the pod name it");
    case 'ErrorPvcNotFound':
    case 'DataVolumeError':
      return no('StartFailed', `KubeVirt finds the root disk unusable (${printable})${words === undefined ? '' : `: ${words}`}`);
  }
  if (failure?.status === 'True')
    return no('StartFailed', `KubeVirt cannot make the machine's instance: ${shorten(failure.message ?? failure.reason ?? '')}`);
  // The same words while it backs off and while it tries: the two take turns.
  if (failures > 0 || printable === 'CrashLoopBackOff')
    return no(
      'CrashLooping',
      `${failures === 0 ? 'starts' : `${failures} ${failures === 1 ? 'start' : 'starts'}`} failed, KubeVirt tries again${words === undefined ? '; look at the serial console' : `: ${words}`}`,
    );
  if (told('Synchronized') !== undefined) return no('StartFailed', `KubeVirt could not start the machine: ${words}`);
  return no('Starting', 'KubeVirt starts the machine; if it lasts, the events of its pod say why');
}

function guest({ machine, instance, nowMs }: Snapshot, kubevirt: KubevirtMachine, isReady: boolean): Omit<PowerState, 'running'> {
  const { mode = 'Running', port } = machine.spec.guestReadiness ?? {};
  if (mode === 'Running') return { guest: yes('GuestReady', 'the machine runs, which is all guestReadiness asks for') };
  const isAgent = mode === 'Agent';
  const hasAgent =
    (kubevirtCondition(kubevirt, 'AgentConnected') ?? kubevirtCondition(instance, 'AgentConnected'))?.status === 'True';
  if (isAgent ? hasAgent : isReady)
    return { guest: yes('GuestReady', isAgent ? 'the guest agent has connected' : `port ${port} answers`) };
  const untilMs = runningSinceMs(machine, nowMs) + guestPatienceMs;
  if (nowMs < untilMs)
    return {
      guest: no('GuestStarting', isAgent ? 'waits for the guest agent to connect' : `waits for port ${port} to answer`),
      atMs: untilMs,
    };
  return {
    guest: isAgent
      ? no('AgentMissing', 'no guest agent has connected; install qemu-guest-agent in the image, or use guestReadiness Running')
      : no('PortClosed', `port ${port} does not answer; check the service in the guest and guestReadiness.port`),
  };
}

/** Since when it runs, as far as its status has it. */
function runningSinceMs({ status }: StoredMachine, nowMs: number): number {
  const known = status?.conditions?.find(({ type }) => type === 'Running');
  return known?.status === 'True' ? (instantMs(known.lastTransitionTime) ?? nowMs) : nowMs;
}
