/** Deployment, Service, Job and pod: the fields we set or read, and no others. */
import type { KubeObject, ObjectMeta, ResourceType } from '@terrain/runtime';

export const deploymentType: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true };
export const serviceType: ResourceType = { group: '', version: 'v1', plural: 'services', namespaced: true };
export const jobType: ResourceType = { group: 'batch', version: 'v1', plural: 'jobs', namespaced: true };

type Resources = Readonly<Record<string, string>>;

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources };
  readonly ports?: readonly { readonly containerPort: number; readonly protocol: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError';
  readonly securityContext?: {
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
    readonly runAsUser?: number;
  };
}

export interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly secret?: { readonly secretName: string; readonly defaultMode?: number };
}

export interface PodTemplate {
  readonly metadata: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly spec: {
    readonly automountServiceAccountToken: false;
    readonly enableServiceLinks: false;
    readonly securityContext: { readonly seccompProfile: { readonly type: 'RuntimeDefault' } };
    readonly imagePullSecrets?: readonly { readonly name: string }[];
    readonly dnsPolicy?: 'None';
    readonly dnsConfig?: { readonly nameservers: readonly string[] };
    readonly restartPolicy?: 'Never' | 'OnFailure';
    readonly containers: readonly Container[];
    readonly volumes?: readonly PodVolume[];
  };
}

interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: 'Recreate' };
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly {
      readonly name: string;
      readonly port: number;
      readonly targetPort: number;
      readonly protocol: string;
    }[];
  };
}

export interface Job extends KubeObject {
  readonly spec: { readonly backoffLimit?: number; readonly template: PodTemplate };
  readonly status?: {
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode?: number; readonly message?: string };
}

interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly state?: ContainerState;
  /** How it was before it was started again. */
  readonly lastState?: ContainerState;
}

export interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string; readonly containerStatuses?: readonly ContainerStatus[] };
}

const isMet = ({ status }: Deployment | Job, type: string): WorkloadCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

/** How a Job ended; undefined while it has not. */
export function jobEnd(job: Job): { readonly isSuccess: boolean; readonly message: string } | undefined {
  const failed = isMet(job, 'Failed');
  if (failed !== undefined) return { isSuccess: false, message: failed.message ?? failed.reason ?? 'it says no more' };
  return isMet(job, 'Complete') === undefined ? undefined : { isSuccess: true, message: '' };
}

/** Why a Deployment gets no pods: a quota, or the pod security of the namespace. */
export const replicaFailure = (deployment: Deployment): string | undefined => isMet(deployment, 'ReplicaFailure')?.message;

/** Reasons for which a container does not start until a person changes something. */
const hopeless: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

/** Why a container of the pod does not start, in the words of the kubelet; undefined when none is in trouble. */
export function podProblem({ status }: Pod): string | undefined {
  for (const { name, image, state } of status?.containerStatuses ?? []) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (!hopeless.has(reason)) continue;
    // The two words for a failing pull take turns every few seconds, with the runtime's words for each try: told as one, they cost one write.
    if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff')
      return `container ${name}: ImagePullBackOff (image ${image ?? 'unknown'} is not on the node and could not be pulled)`;
    return `container ${name}: ${reason}${message === '' ? '' : ` (${message})`}`;
  }
  return undefined;
}

const longestTail = 500;

/** The end of what a container that failed has written. */
export function lastWords({ status }: Pod): string | undefined {
  const failed = (status?.containerStatuses ?? []).map(({ state }) => wordsOfFailure(state));
  return failed.find((words) => words !== undefined)?.slice(-longestTail);
}

/** What a container said when it failed, now or before it was started again; from the beginning. */
export function wordsBeforeRestart({ status }: Pod): string | undefined {
  const states = (status?.containerStatuses ?? []).flatMap(({ state, lastState }) => [state, lastState]);
  return states.map(wordsOfFailure).find((words) => words !== undefined);
}

/** One that ended well has nothing to say here: an importer's last words are then what it has found. */
function wordsOfFailure(state: ContainerState | undefined): string | undefined {
  const { exitCode = 0, message = '' } = state?.terminated ?? {};
  return exitCode === 0 || message === '' ? undefined : message.trim();
}
