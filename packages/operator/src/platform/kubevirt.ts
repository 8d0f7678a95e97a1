/** KubeVirt's VirtualMachine and VirtualMachineInstance: the fields we set or read, and no others. */
import type { KubeObject, ObjectMeta, ResourceType } from '@terrain/runtime';

const group = 'kubevirt.io';
export const kubevirtApiVersion = `${group}/v1`;
export const kubevirtMachineType: ResourceType = { group, version: 'v1', plural: 'virtualmachines', namespaced: true };
export const kubevirtInstanceType: ResourceType = {
  group,
  version: 'v1',
  plural: 'virtualmachineinstances',
  namespaced: true,
};

interface KubevirtCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Disk {
  readonly name: string;
  readonly disk: { readonly bus: 'virtio' };
  readonly bootOrder?: number;
}

interface Interface {
  readonly name: string;
  readonly macAddress: string;
  readonly bridge?: Readonly<Record<string, never>>;
  readonly masquerade?: Readonly<Record<string, never>>;
}

interface Network {
  readonly name: string;
  readonly pod?: Readonly<Record<string, never>>;
  readonly multus?: { readonly networkName: string };
}

interface Volume {
  readonly name: string;
  readonly dataVolume?: { readonly name: string };
  readonly cloudInitNoCloud?: {
    readonly secretRef: { readonly name: string };
    readonly networkDataSecretRef: { readonly name: string };
  };
}

interface InstanceSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly domain: {
    readonly cpu: { readonly cores: number };
    readonly memory: { readonly guest: string };
    readonly firmware?: { readonly uuid: string };
    readonly devices: {
      readonly disks: readonly Disk[];
      readonly interfaces: readonly Interface[];
      readonly rng: Readonly<Record<string, never>>;
    };
  };
  readonly networks: readonly Network[];
  readonly volumes: readonly Volume[];
  readonly readinessProbe?: {
    readonly tcpSocket: { readonly port: number };
    readonly periodSeconds: number;
    readonly failureThreshold: number;
  };
}

export interface KubevirtMachine extends KubeObject {
  readonly spec: {
    readonly runStrategy?: string;
    readonly template: { readonly metadata?: Pick<ObjectMeta, 'labels'>; readonly spec: InstanceSpec };
  };
  readonly status?: {
    readonly printableStatus?: string;
    readonly created?: boolean;
    readonly conditions?: readonly KubevirtCondition[];
    readonly startFailure?: { readonly consecutiveFailCount?: number };
  };
}

export interface KubevirtInstance extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly KubevirtCondition[];
    readonly interfaces?: readonly {
      readonly name?: string;
      readonly mac?: string;
      readonly ipAddress?: string;
      readonly ipAddresses?: readonly string[];
      readonly infoSource?: string;
    }[];
  };
}

type Reporting = { readonly status?: { readonly conditions?: readonly KubevirtCondition[] } };

export function kubevirtCondition(object: Reporting | undefined, type: string): KubevirtCondition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether a guest may still be at work: its end is told by the phase, long before its object is gone. */
export const isUnderWay = (instance: KubevirtInstance | undefined): boolean =>
  instance !== undefined && instance.status?.phase !== 'Succeeded' && instance.status?.phase !== 'Failed';
