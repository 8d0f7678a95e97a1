import { type Connection, isAlreadyExists, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import { until } from '#process/until.ts';
import { simulatedLabel } from '#simulator/marks.ts';
import { simulatedNode, simulatedNodeName } from './simulated-node.ts';

interface Node extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const nodeType: ResourceType = { group: '', version: 'v1', plural: 'nodes', namespaced: false };

/** Makes the number of simulated nodes what it should be and leaves all other nodes alone. */
export async function ensureSimulatedNodes(connection: Connection, count: number): Promise<void> {
  const nodes = new Resource<Node>(connection, nodeType);
  const existing = await nodes.list({}, { labelSelector: `${simulatedLabel}=true` });
  const wanted = Array.from({ length: count }, (_, index) => simulatedNodeName(index + 1));
  for (const { metadata } of existing.items) {
    if (!wanted.includes(metadata.name!)) await nodes.delete({ name: metadata.name! });
  }
  for (let number = 1; number <= count; number++) {
    await nodes.create(simulatedNode(number)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

/** Waits until every simulated node reports that it is ready. */
export async function simulatedNodesReady(connection: Connection, count: number, signal?: AbortSignal): Promise<void> {
  const nodes = new Resource<Node>(connection, nodeType);
  let ready = 0;
  await until(
    'the readiness of the simulated nodes',
    async () => {
      const { items } = await nodes.list({}, { labelSelector: `${simulatedLabel}=true` });
      ready = items.filter(isReady).length;
      return ready >= count ? true : undefined;
    },
    { timeoutMs: 60_000, everyMs: 100, signal, missing: () => `${ready} of ${count} are ready` },
  );
}

function isReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
