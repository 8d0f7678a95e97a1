/** Reads and changes VirtualMachines of Terrain, with the rights of the person who asks. */
import { type VirtualMachine, virtualMachineKind } from '@terrain/api';
import { ApiError, type Connection, isNotFound, Resource, type ResourceType } from '@terrain/runtime';
import { CommandError } from '../output/exit.ts';
import { judge } from '../vm/state.ts';
import type { Address, Awaited } from './wait-for-all.ts';

const { group, version, plural } = virtualMachineKind;
const machineType: ResourceType = { group, version, plural, namespaced: true };

export const machinesOf = (connection: Connection): Resource<VirtualMachine> =>
  new Resource<VirtualMachine>(connection, machineType);

export async function getMachine(connection: Connection, at: Address): Promise<VirtualMachine> {
  return machinesOf(connection)
    .get(at)
    .catch((error: unknown) => {
      throw isNotFound(error) && (error as ApiError).reason === 'NotFound' ? noMachine(at) : error;
    });
}

function noMachine({ namespace, name }: Address): CommandError {
  return new CommandError(`there is no machine ${namespace}/${name}; \`terrain vm list -A\` shows those there are.`);
}

/** For those who wait until machines are as their specs ask. */
export const awaitedMachine: Awaited<VirtualMachine> = { type: machineType, get: getMachine, judge, missing: noMachine };

/**
 * Changes the spec of the very machine that was looked at.
 *
 * Guarantees: one that was deleted and made again under the name meanwhile is not touched; that is an error.
 */
export async function changeMachine(connection: Connection, machine: VirtualMachine, spec: object): Promise<void> {
  const { namespace, name, uid } = machine.metadata;
  const at = { name, ...(namespace === undefined ? {} : { namespace }) };
  await machinesOf(connection)
    .mergePatch(at, { metadata: { uid }, spec }, { fieldManager: 'terrain-cli' })
    .catch((error: unknown) => {
      if (!isAnother(error)) throw error;
      throw new CommandError(`${namespace}/${name} was deleted and made again meanwhile; nothing was changed.`);
    });
}

/** A UID that is not the stored one is refused as a change of a field that cannot change. */
const isAnother = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 409 || error.causes.some(({ field }) => field === 'metadata.uid'));

/** Whether the person may open the console of a machine, as KubeVirt will judge it. */
export async function mayOpenConsole(connection: Connection, namespace: string, name: string): Promise<boolean> {
  const resourceAttributes = {
    group: 'subresources.kubevirt.io',
    resource: 'virtualmachineinstances',
    subresource: 'console',
    verb: 'get',
    namespace,
    name,
  };
  const review = await connection.request<{ status?: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  });
  return review.status?.allowed === true;
}
