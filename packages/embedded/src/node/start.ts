import { join } from 'node:path';
import { type Connection, Discovery, type KubeObject, Resource } from '@terrain/runtime';
import type { ControlPlane } from '#control-plane/control-plane.ts';
import { writePrivate } from '#control-plane/pki.ts';
import type { Upstream } from '#upstream/extract.ts';
import { ensureSimulatedNodes, simulatedNodesReady } from './ensure-nodes.ts';
import { kwokArguments, nodeRights, nodeUser, stageFile } from './simulated-node.ts';

export interface SimulatedNodesOptions {
  readonly plane: ControlPlane;
  readonly port: number;
  readonly connection: Connection;
  readonly upstream: Pick<Upstream, 'nodeStages' | 'nodeRole'>;
  readonly count: number;
  readonly signal?: AbortSignal | undefined;
}

/** Makes the nodes and starts the program that keeps them alive. With a count of 0 it only removes those made before. */
export async function startSimulatedNodes({
  plane,
  port,
  connection,
  upstream,
  count,
  signal,
}: SimulatedNodesOptions): Promise<void> {
  await ensureSimulatedNodes(connection, count);
  if (count === 0) return;
  await applyAll(connection, nodeRights(upstream.nodeRole));
  const kubeconfig = await plane.writeKubeconfig(port, { commonName: nodeUser }, 'pki/kwok.kubeconfig');
  const stages = join(plane.directory, 'kwok-stages.yaml');
  await writePrivate(stages, stageFile(upstream.nodeStages));
  await plane.start('kwok', kwokArguments({ kubeconfig, stages }));
  await simulatedNodesReady(connection, count, signal);
}

async function applyAll(connection: Connection, objects: readonly KubeObject[]): Promise<void> {
  const discovery = new Discovery(connection);
  for (const object of objects) {
    const type = await discovery.find(object);
    if (type === undefined) throw new TypeError(`the API server does not serve ${object.kind}`);
    await new Resource(connection, type).apply(object, { fieldManager: 'terrain-embedded', force: true });
  }
}
