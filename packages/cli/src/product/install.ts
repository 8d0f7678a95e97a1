import { admissionPolicies, crdOf, kinds, ledgerManifest, operatorIdentity, operatorRole, peopleRoles } from '@terrain/api';
import { applyManifests, type Connection, isAlreadyExists, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
export const fieldManager = 'terrain-cli';

export interface InstallOptions {
  readonly signal: AbortSignal;
  readonly onApplied?: (done: number, total: number) => void;
}

/** Brings everything of Terrain that lives in the API server up to date: definitions, policies, roles, the ledger. */
export async function installProduct(connection: Connection, { signal, onApplied }: InstallOptions): Promise<void> {
  const manifests = productManifests();
  let done = 0;
  await applyManifests(connection, manifests, { fieldManager, signal, onApplied: () => onApplied?.(++done, manifests.length) });
  await createLedger(connection, signal);
}

function productManifests(): KubeObject[] {
  // A finalizer nobody removes would keep every deleted object for ever. The policies set ours on all kinds, so they wait for the last controller;
  // until then the operator sets it on the kinds it acts on.
  const policies = admissionPolicies().filter(([policy]) => policy.kind !== 'MutatingAdmissionPolicy');
  return [...kinds.map(crdOf), ...policies.flat(), ...peopleRoles(), ...operatorIdentity(), ...operatorRole()];
}

/** The policies read the ledger, so there must be one; never applied over an existing one, which holds the slots in use. */
async function createLedger(connection: Connection, signal: AbortSignal): Promise<void> {
  try {
    await new Resource(connection, configMaps).create(ledgerManifest(), { fieldManager, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
