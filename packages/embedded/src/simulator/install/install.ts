import {
  applyManifests,
  type Connection,
  Discovery,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  Resource,
} from '@terrain/runtime';
import { managerName } from '../marks.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { cdiPolicies, cdiProbe } from './cdi-policy.ts';
import { storageManifests } from './classes.ts';
import { inForce } from './in-force.ts';
import { kubevirtPolicies, kubevirtProbe } from './kubevirt-policy.ts';

/**
 * Puts into the cluster what the simulated parts bring with them: classes, CSI drivers, and the refusals of their webhooks.
 *
 * Guarantees: what is refused is refused from then on; classes that exist are left as they are; doing it twice changes nothing.
 */
export async function installSimulator(connection: Connection, scenario: Scenario, signal?: AbortSignal): Promise<void> {
  const { parts } = scenario;
  const policies = [...(parts.has('cdi') ? cdiPolicies : []), ...(parts.has('kubevirt') ? kubevirtPolicies : [])];
  await applyManifests(connection, policies, { fieldManager: managerName, ...(signal === undefined ? {} : { signal }) });
  if (parts.has('storage')) await createMissing(connection, storageManifests(scenario), signal);
  if (parts.has('cdi')) await inForce(connection, cdiProbe, signal);
  if (parts.has('kubevirt')) await inForce(connection, kubevirtProbe, signal);
}

async function createMissing(
  connection: Connection,
  objects: readonly KubeObject[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const discovery = new Discovery(connection);
  for (const object of objects) {
    const type = await discovery.find(object);
    // Without the snapshot kinds there is simply nothing to snapshot.
    if (type === undefined) continue;
    const resource = new Resource<KubeObject>(connection, type);
    try {
      await resource.get({ name: object.metadata.name ?? '' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await create(resource, object, signal);
    }
  }
}

async function create(resource: Resource<KubeObject>, object: KubeObject, signal: AbortSignal | undefined): Promise<void> {
  try {
    await resource.create(object, { fieldManager: managerName, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
