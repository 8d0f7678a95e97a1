import { type KubevirtMachine, kubevirtCondition } from '#platform/kubevirt.ts';

/** What KubeVirt goes through while it waits for a disk: Provisioning and DataVolumeError take turns with every restart of a copy. */
const withoutDisk: ReadonlySet<string> = new Set([
  'Provisioning',
  'DataVolumeError',
  'ErrorPvcNotFound',
  'WaitingForVolumeBinding',
  'Starting',
  'Stopped',
]);

/**
 * KubeVirt's word for its machine, steadied: words that take turns for one and the same trouble are told as one of them, so that
 * whoever reads is not misled, and a machine in trouble costs one write and not one every few seconds.
 */
export function steadyStatus(kubevirt: KubevirtMachine | undefined, isDiskThere: boolean): string | undefined {
  const { printableStatus, startFailure } = kubevirt?.status ?? {};
  if (kubevirt === undefined || printableStatus === undefined) return undefined;
  if (!isDiskThere && withoutDisk.has(printableStatus)) return 'Provisioning';
  if (isHeld(kubevirt)) return 'Paused';
  const isOn = kubevirt.spec.runStrategy !== 'Halted';
  const isIdle = printableStatus === 'Starting' || printableStatus === 'Stopped';
  // A machine that should run reads Stopped before KubeVirt has looked, and between a stop and the start after it.
  if (isOn && isIdle) return (startFailure?.consecutiveFailCount ?? 0) > 0 ? 'CrashLoopBackOff' : 'Starting';
  return printableStatus === 'ErrImagePull' ? 'ImagePullBackOff' : printableStatus;
}

/** Whether its processors are held: the pod's readiness gate tells of it a moment before and after the word Paused. */
export function isHeld(kubevirt: KubevirtMachine): boolean {
  const { printableStatus } = kubevirt.status ?? {};
  if (printableStatus === 'Paused') return true;
  return printableStatus === 'Running' && kubevirtCondition(kubevirt, 'Ready')?.reason === 'ReadinessGatesNotReady';
}
