import { createHash } from 'node:crypto';
import type { InstanceStatus } from '../objects.ts';
import type { Time } from '../time.ts';
import type { BootMoment } from './boot-timeline.ts';
import { mergeConditions, type Verdict } from './condition.ts';
import { claimNamesOf, dataVolumeNamesOf } from './disks.ts';
import { transitions } from './instance.ts';
import { interfaceStatus } from './network-data.ts';
import type { InstanceView } from './view.ts';

/** The status of an instance at a moment of its start or run. */
export function instanceStatus(view: InstanceView, moment: BootMoment, time: Time): InstanceStatus & Record<string, unknown> {
  const { instance, scenario } = view;
  const current = instance.status ?? {};
  const isPlaced = moment.phase === 'Scheduled' || moment.phase === 'Running';
  return {
    ...current,
    phase: moment.phase,
    ...(isPlaced ? { nodeName: scenario.node, interfaces: interfacesOf(view, moment) } : {}),
    ...(moment.hasAgent ? { guestOSInfo: { name: 'Simulated Linux', id: 'simulated', prettyName: 'Simulated Linux' } } : {}),
    conditions: mergeConditions(current.conditions, conditionsOf(view, moment), time.nowMs),
    phaseTransitionTimestamps: transitions(current, moment.phase, time.nowMs),
  };
}

function interfacesOf({ instance, networkData, switches }: InstanceView, { phase, hasAgent }: BootMoment) {
  const { uid } = instance.metadata;
  const address = switches.get('address');
  return interfaceStatus(instance.spec, {
    macOf: (name) => ['02', ...digits(`${uid}/${name}`, 5).map((byte) => byte.toString(16).padStart(2, '0'))].join(':'),
    ...(phase === 'Running' ? { podAddress: ['10', '42', ...digits(uid, 2)].join('.') } : {}),
    ...(hasAgent ? { agent: { networkData, ...(address === undefined ? {} : { address }) } } : {}),
  });
}

/** Stands for what is chosen anew at every start. */
const digits = (seed: string, count: number): readonly number[] => [
  ...createHash('sha256').update(seed).digest().subarray(0, count),
];

function conditionsOf({ instance, claims, dataVolumes, switches }: InstanceView, moment: BootMoment): readonly Verdict[] {
  const isPaused = switches.has('paused') && moment.phase === 'Running';
  const conditions: Verdict[] = isPaused ? [paused, pausedReady] : [readyOf(moment)];
  const volumes = dataVolumeNamesOf(instance.spec).flatMap((name) => dataVolumes.get(name) ?? []);
  if (volumes.length > 0) {
    const isReady = volumes.every(
      (one) => one.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
    conditions.push(
      isReady
        ? { type: 'DataVolumesReady', status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and ready" }
        : { type: 'DataVolumesReady', status: 'False', reason: 'NotAllDVsReady', message: "Not all of the VMI's DVs are ready" },
    );
  }
  if (moment.phase === 'Scheduled' || moment.phase === 'Running') {
    const unshared = claimNamesOf(instance.spec).find(
      (name) => claims.get(name)?.spec.accessModes?.includes('ReadWriteMany') !== true,
    );
    conditions.push(
      unshared === undefined
        ? { type: 'LiveMigratable', status: 'True' }
        : {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: `cannot migrate VMI: PVC ${unshared} is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)`,
          },
      { type: 'StorageLiveMigratable', status: 'True' },
    );
  }
  if (moment.hasAgent) conditions.push({ type: 'AgentConnected', status: 'True' });
  return [...conditions, ...moment.extra];
}

const paused: Verdict = { type: 'Paused', status: 'True', reason: 'PausedByUser', message: 'VMI was paused by user' };

const pausedReady: Verdict = {
  type: 'Ready',
  status: 'False',
  reason: 'ReadinessGatesNotReady',
  message: 'the status of pod readiness gate "kubevirt.io/virtual-machine-unpaused" is not "True", but False',
};

function readyOf({ isReady, isUnanswered, phase }: BootMoment): Verdict {
  if (isReady) return { type: 'Ready', status: 'True' };
  const verdict = { type: 'Ready', status: 'False' };
  if (phase === 'Pending') return { ...verdict, reason: 'PodNotExists', message: 'virt-launcher pod has not yet been scheduled' };
  if (isUnanswered === true)
    return { ...verdict, reason: 'ContainersNotReady', message: 'containers with unready status: [compute]' };
  return { ...verdict, reason: 'GuestNotRunning', message: 'Guest VM is not reported as running' };
}
