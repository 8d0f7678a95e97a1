/** Reads disk images and what the queue is made of. */
import { ledgerName, parseLedger, resolveInstall, syncPolicyName, type VMDiskImage, vmDiskImageKind } from '@terrain/api';
import { ApiError, type Connection, isNotFound, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import type { PolicyConfigMap } from '../image/policy.ts';
import type { KnownLedger } from '../image/queue.ts';
import { judge } from '../image/state.ts';
import { CommandError } from '../output/exit.ts';
import type { Address, Awaited } from './wait-for-all.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const { group, version, plural } = vmDiskImageKind;
export const imageType: ResourceType = { group, version, plural, namespaced: true };
const configMapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const { operatorNamespace } = resolveInstall({});

export const imagesOf = (connection: Connection): Resource<VMDiskImage> => new Resource<VMDiskImage>(connection, imageType);

export async function getImage(connection: Connection, at: Address): Promise<VMDiskImage> {
  return imagesOf(connection)
    .get(at)
    .catch((error: unknown) => {
      throw isNotFound(error) && (error as ApiError).reason === 'NotFound' ? noImage(at) : error;
    });
}

function noImage({ namespace, name }: Address): CommandError {
  return new CommandError(`there is no disk image ${namespace}/${name}; \`terrain image list -A\` shows those there are.`);
}

/** For those who wait until images can be cloned. */
export const awaitedImage: Awaited<VMDiskImage> = { type: imageType, get: getImage, judge, missing: noImage };

/** The ledger, or why it cannot be read. Not everybody may read it. */
export async function readLedger(connection: Connection): Promise<KnownLedger> {
  const where = `ConfigMap ${operatorNamespace}/${ledgerName}`;
  try {
    const { data } = await configMap(connection, ledgerName);
    const reading = parseLedger(data);
    if (reading.kind === 'ledger') return reading.ledger;
    return reading.kind === 'unknownSchema' ? reading.message : `the ${where} is damaged: ${reading.problems.join('; ')}`;
  } catch (error) {
    if (isNotFound(error)) return `there is no ${where} yet; the operator makes it when it runs`;
    if (error instanceof ApiError && error.code === 403) return `you may not read the ${where}`;
    throw error;
  }
}

/** The policy people wrote; undefined when there is none, and the defaults count. */
export async function readPolicyConfigMap(connection: Connection): Promise<PolicyConfigMap | undefined> {
  return configMap(connection, syncPolicyName).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

const configMap = (connection: Connection, name: string): Promise<ConfigMap> =>
  new Resource<ConfigMap>(connection, configMapType).get({ namespace: operatorNamespace, name });
