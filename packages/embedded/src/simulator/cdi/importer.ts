import { deleteOf, type Effect, patchOf, statusPatchOf } from '../engine/decision.ts';
import { notes, podFinalizer } from '../marks.ts';
import type { Claim, Pod } from '../objects.ts';
import { timestamp } from '../time.ts';
import { desiredImporterPod, desiredScratch } from './desired.ts';
import type { ImportMoment } from './import-timeline.ts';
import type { DataVolumeView } from './view.ts';

/** Makes the pod and scratch claim what the moment says they are. `filled` is the claim the pod writes to. */
export function importerSteps(view: DataVolumeView, filled: Claim, moment: ImportMoment, nowMs: number): readonly Effect[] {
  const { pod, scratch } = view;
  const steps: Effect[] = [];
  const isOver = moment.outcome !== 'underway';
  if (moment.hasScratch && !isOver && scratch === undefined)
    steps.push({ do: 'create', kind: 'PersistentVolumeClaim', object: desiredScratch(filled) });
  // What is left after the end is cleared away by finish.ts.
  if (isOver || moment.pod === 0) return steps;
  if (pod !== undefined && podOrdinal(pod) !== moment.pod) return [...steps, ...removeImporter(pod)];
  if (pod === undefined)
    return [...steps, { do: 'create', kind: 'Pod', object: desiredImporterPod(view, filled, moment.pod, moment.hasScratch) }];
  // Its end is another state machine's business, and a new one comes when it is gone.
  if (pod.metadata.deletionTimestamp !== undefined) return steps;
  const status = podStatus(moment, nowMs);
  return isSameStatus(pod, status) ? steps : [...steps, statusPatchOf('Pod', pod, status)];
}

/** A pod whose work is done goes at once: there is no container to wait for. */
export function removeImporter(pod: Pod): readonly Effect[] {
  const steps: Effect[] = pod.metadata.deletionTimestamp === undefined ? [deleteOf('Pod', pod)] : [];
  const kept = pod.metadata.finalizers?.filter((name) => name !== podFinalizer) ?? [];
  return [...steps, patchOf('Pod', pod, { metadata: { finalizers: kept.length === 0 ? null : kept } })];
}

function podOrdinal(pod: Pod): number {
  return Number(pod.metadata.annotations?.[notes.ordinal] ?? 0);
}

interface PodStatus extends Record<string, unknown> {
  readonly phase: string;
  readonly containerStatuses: readonly { readonly restartCount: number; readonly state: Readonly<Record<string, unknown>> }[];
}

function podStatus(moment: ImportMoment, nowMs: number): PodStatus {
  const { reason, message } = moment.running;
  const isWaiting = moment.container === 'waiting' || (moment.container === 'terminated' && moment.podPhase === 'Running');
  const waiting =
    moment.container === 'waiting' ? { reason: reason || 'ContainerCreating', message } : { reason: 'CrashLoopBackOff' };
  const state: Readonly<Record<string, unknown>> =
    moment.container === 'running' ? { running: { startedAt: timestamp(nowMs) } } : isWaiting ? { waiting } : {};
  const isScheduled = moment.isSchedulable;
  return {
    phase: moment.podPhase === 'Pending' ? 'Pending' : 'Running',
    conditions: [
      isScheduled
        ? { type: 'PodScheduled', status: 'True' }
        : {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
          },
    ],
    containerStatuses: [
      {
        name: 'importer',
        image: 'simulated/cdi-importer:v1.65.0',
        imageID: '',
        ready: moment.container === 'running',
        restartCount: moment.restarts,
        state,
      },
    ] as unknown as PodStatus['containerStatuses'],
  };
}

/** Instants inside are left out: a container that keeps running started when it started. */
function isSameStatus(pod: Pod, wanted: PodStatus): boolean {
  const [have] = pod.status?.containerStatuses ?? [];
  const [want] = wanted.containerStatuses;
  const [haveState] = Object.entries(have?.state ?? {});
  const [wantState] = Object.entries((want?.state ?? {}) as Readonly<Record<string, { reason?: string }>>);
  return (
    pod.status?.phase === wanted.phase &&
    have?.restartCount === want?.restartCount &&
    haveState?.[0] === wantState?.[0] &&
    (haveState?.[1].reason ?? '') === (wantState?.[1].reason ?? '')
  );
}
