/** What `--real` starts beside the control plane: a node that is this machine, its storage, CDI, and servers with disks for the examples. */
import {
  describePlan,
  type EmbeddedCluster,
  ensureBinaries,
  type Progress,
  planRealNode,
  type RealNode,
  realGroupNames,
  runTask,
  sourceHost,
  startRealImports,
  startRealNode,
  startSources,
  startStorage,
} from '@terrain/embedded';
import { applyManifests, type KubeObject } from '@terrain/runtime';
import { fieldManager } from './install.ts';
import { classesOf, containerImagesOf, forRealNode, sourcesOf } from './real-examples.ts';

const storageClass = 'terrain-disk';

interface RealOptions {
  readonly binaries?: string;
}

/** Before anything is started, so that nobody waits for what cannot be, or compiles for a quarter of an hour unasked. */
export async function announceRealNode({ binaries }: RealOptions, progress: Progress): Promise<void> {
  const message = describePlan(await planRealNode({ binaries }));
  if (message !== undefined) progress({ type: 'note', task: 'real-node', message });
}

/** Returns when pods run, volumes are mounted, and disks are imported; with the examples as they can be applied there. */
export async function startRealPlatform(
  cluster: EmbeddedCluster,
  examples: readonly KubeObject[],
  options: RealOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const binaries = await ensureBinaries(realGroupNames, { binaries: options.binaries, progress, signal });
  const node = await startRealNode(cluster, { binaries, progress, signal });
  await runTask(progress, { name: 'storage', title: `Real volumes: storage class ${storageClass}` }, () =>
    startStorage(cluster, { binaries, node: node.name, kubelet: node.kubelet, signal }),
  );
  const classes = classesOf(examples);
  await applyManifests(cluster.connection(), classes, { fieldManager, signal });
  const storageClasses = [storageClass, ...classes.map(({ metadata }) => metadata.name ?? '')];
  const insecureRegistries = [sourceHost('registry')];
  await startRealImports(cluster, node, { binaries, storageClasses, insecureRegistries, progress, signal });
  if (examples.length === 0) return examples;
  const sources = await startSources(cluster, node, { binaries, sources: sourcesOf(examples), progress, signal });
  await standIn(node, containerImagesOf(examples), progress);
  progress({ type: 'note', task: 'sources', message: explanation });
  return forRealNode(examples, sources);
}

const explanation = `What the examples download is not to be had at the public hosts they name. They are applied with the same paths at servers on this machine instead (${(['http', 's3', 'registry'] as const).map(sourceHost).join(', ')}), and their containers are stand-ins made here.`;

async function standIn(node: RealNode, images: readonly string[], progress: Progress): Promise<void> {
  await runTask(progress, { name: 'stand-ins', title: `Stand-ins for ${images.length} container images of the examples` }, () =>
    node.standIn(images),
  );
}
