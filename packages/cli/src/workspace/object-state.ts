/** The state of an object of any kind in a few words, as its own status tells it. */
import type { KubeObject } from '@terrain/runtime';
import { plain } from '../output/plain.ts';

export interface ObjectState {
  readonly state: string;
  readonly reason: string;
}

interface ConditionLike {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerState {
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
}

interface AnyStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly progress?: string;
  readonly printableStatus?: string;
  readonly conditions?: readonly ConditionLike[];
  readonly containerStatuses?: readonly ContainerState[];
  readonly initContainerStatuses?: readonly ContainerState[];
  readonly readyReplicas?: number;
  readonly succeeded?: number;
}

const ofDeployment = (spec: { replicas?: number }, { readyReplicas = 0, conditions = [] }: AnyStatus): ObjectState => {
  const wanted = spec.replicas ?? 1;
  const problem = conditions.find(
    ({ type, status }) => (type === 'ReplicaFailure' && status === 'True') || (type === 'Progressing' && status === 'False'),
  );
  return { state: `${readyReplicas}/${wanted} ready`, reason: readyReplicas >= wanted ? '' : (problem?.message ?? '') };
};

function ofPod(status: AnyStatus): ObjectState {
  const waiting = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
    .map(({ state }) => state?.waiting)
    .find((one) => one !== undefined);
  const unscheduled = status.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const words = [waiting?.reason, waiting?.message].filter((word) => word !== undefined).join(': ');
  return { state: status.phase ?? 'Pending', reason: words || (unscheduled?.message ?? status.message ?? '') };
}

function ofJob({ conditions = [] }: AnyStatus): ObjectState {
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  return { state: end?.type ?? 'Running', reason: end?.type === 'Failed' ? (end.message ?? '') : '' };
}

function ofOther(status: AnyStatus): ObjectState {
  const failing = status.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'False');
  const state = status.printableStatus ?? status.phase ?? '';
  const progress = status.progress === undefined || status.progress === 'N/A' ? [] : [status.progress];
  return { state, reason: [...progress, status.message ?? failing?.message ?? ''].filter((word) => word !== '').join(', ') };
}

/** What goes on with an object. One that is being deleted says who holds it. */
export function stateOf(object: KubeObject): ObjectState {
  const { metadata, spec = {}, status = {} } = object as KubeObject & { spec?: object; status?: AnyStatus };
  if (metadata.deletionTimestamp !== undefined) {
    const holders = metadata.finalizers ?? [];
    return { state: 'Deleting', reason: holders.length === 0 ? '' : `held by ${holders.join(', ')}` };
  }
  const found =
    object.kind === 'Deployment' || object.kind === 'ReplicaSet'
      ? ofDeployment(spec, status)
      : object.kind === 'Pod'
        ? ofPod(status)
        : object.kind === 'Job'
          ? ofJob(status)
          : ofOther(status);
  return { state: found.state, reason: plain(found.reason) };
}
