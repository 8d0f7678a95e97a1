/** What the suites about machines share. */
import type { VirtualMachine, VirtualMachineSpec } from '@terrain/api';
import { aVirtualMachine, type Override } from '@terrain/api/testing';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import type { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';

/** As the API server shows it now. */
export function machine(stage: Stage, name: string, namespace = stage.namespace): VirtualMachine | undefined {
  return stage.informers.get<VirtualMachine>(types.machines).store.get(`${namespace}/${name}`);
}

/** A machine that refers to the image `debian` of the stage. */
export function createMachine(
  stage: Stage,
  name: string,
  spec: Override<VirtualMachineSpec> = {},
  metadata: Override<VirtualMachine['metadata']> = {},
): Promise<VirtualMachine> {
  const vmDiskImageRef = { name: 'debian', namespace: '' };
  const manifest = aVirtualMachine({
    metadata: { namespace: stage.namespace, ...metadata, name },
    spec: { vmDiskImageRef, ...spec },
  });
  return stage.create<VirtualMachine>(types.machines, manifest);
}

export const conditionOf = (object: VirtualMachine | undefined, type: string) =>
  object?.status?.conditions?.find((condition) => condition.type === type);

/** Waits until the summary of a machine gives this reason, about the spec as it is now. */
export function reason(stage: Stage, name: string, wanted: string, namespace = stage.namespace): Promise<VirtualMachine> {
  return until(stage, name, `say ${wanted}`, (found) => conditionOf(found, 'Ready')?.reason === wanted, namespace);
}

export function phase(stage: Stage, name: string, wanted: string, namespace = stage.namespace): Promise<VirtualMachine> {
  return until(stage, name, `be ${wanted}`, ({ status }) => status?.phase === wanted, namespace);
}

/** Waits until a machine whose status is about its present spec is as wanted; tells what it says when it never is. */
export async function until(
  stage: Stage,
  name: string,
  what: string,
  isMet: (machine: VirtualMachine) => boolean,
  namespace = stage.namespace,
): Promise<VirtualMachine> {
  try {
    return await stage.until(`machine ${name} to ${what}`, () => {
      const found = machine(stage, name, namespace);
      const isAboutNow = found?.status?.observedGeneration === found?.metadata.generation;
      return found !== undefined && isAboutNow && isMet(found) ? found : undefined;
    });
  } catch (error) {
    const { status } = machine(stage, name, namespace) ?? {};
    throw new Error(`${(error as Error).message}; the machine: ${JSON.stringify(status)}`);
  }
}

export const changeSpec = (stage: Stage, name: string, spec: Readonly<Record<string, unknown>>): Promise<unknown> =>
  stage.resource(types.machines).mergePatch({ name, namespace: stage.namespace }, { spec });

export const remove = (stage: Stage, type: ResourceType, name: string): Promise<unknown> =>
  stage.resource(type).delete({ name, namespace: stage.namespace });

/** The one object of a kind in the stage's namespace that the machine controls. */
export function childOf(stage: Stage, type: ResourceType, { metadata }: KubeObject): Thing | undefined {
  return stage
    .things(type)
    .find((thing) => thing.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === metadata.uid));
}

export function createNetwork(stage: Stage, name: string, facts?: unknown): Promise<unknown> {
  return stage.resource<KubeObject>(types.networks).create({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name,
      namespace: stage.namespace,
      ...(facts === undefined ? {} : { annotations: { 'pelotech.ot/network': JSON.stringify(facts) } }),
    },
    spec: { config: '{"cniVersion":"1.0.0","type":"bridge"}' },
  } as KubeObject);
}
