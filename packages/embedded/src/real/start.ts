import { join } from 'node:path';
import { applyManifests, type KubeObject, Resource } from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import type { EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { EmbeddedError } from '#embedded-error.ts';
import type { ManagedProcess } from '#process/managed-process.ts';
import { until } from '#process/until.ts';
import { type Progress, runTask, silent, type TaskReport } from '#progress.ts';
import { kubeRouterArguments } from './config/kube-router.ts';
import { kubeletArguments } from './config/kubelet.ts';
import { type NodeLayout, nodeLayout } from './layout.ts';
import { cleanAfterCrash } from './machine/clean.ts';
import { makeControlGroups } from './machine/control-group.ts';
import { firewallNames } from './machine/firewall.ts';
import { makePodBridge, podBridgeObstacle } from './machine/link.ts';
import { lockMachine, type MachineRecord, writeMachineRecord } from './machine/record.ts';
import { allowForwarding, readSettings, settingsObstacle } from './machine/sysctl.ts';
import { nodeNetwork } from './network.ts';
import { RealNode } from './node.ts';
import { nodeObjects } from './objects.ts';
import { writePauseImage, writeShellImage } from './oci/standard-images.ts';
import { busyboxProgram, ensurePackages } from './packages.ts';
import { prepareNode } from './prepare.ts';
import { Relay } from './relay.ts';
import { nodeRights } from './rights.ts';

export interface RealNodeOptions {
  /** With the programs of `nodeGroupNames`. */
  readonly binaries: Binaries;
  readonly name?: string | undefined;
  readonly progress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for another real node on this machine to end. Default: not at all. */
  readonly waitMs?: number | undefined;
}

interface Node extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastHeartbeatTime: string }[];
  };
}

/**
 * Gives a cluster a real node on this machine.
 *
 * Guarantees: returns when pods can run, reach each other, Services and names; what an earlier node left behind is cleaned up first and told; when
 * it throws, nothing is left running and the machine is as it was. Stopped with the cluster at the latest.
 * Assumptions: the definitions of networks are installed.
 */
export async function startRealNode(cluster: EmbeddedCluster, options: RealNodeOptions): Promise<RealNode> {
  const progress = options.progress ?? silent;
  await ensurePackages(progress);
  return runTask(progress, { name: 'real-node', title: 'Real node: containerd, kubelet, networks, names' }, async (report) => {
    const lock = await lockMachine(options.waitMs ?? 0, options.signal);
    let node: RealNode | undefined;
    try {
      for (const sentence of await cleanAfterCrash()) report.note(sentence);
      const obstacle = (await settingsObstacle()) ?? (await podBridgeObstacle());
      if (obstacle !== undefined) throw new EmbeddedError('NodeImpossible', `No real node can be started: ${obstacle}.`);
      const layout = nodeLayout(cluster.home, options.name ?? 'terrain-node');
      await prepareNode(layout, options.binaries, `https://127.0.0.1:${cluster.port}`);
      const record: MachineRecord = {
        home: cluster.home,
        node: layout.name,
        settings: await readSettings(),
        firewall: await firewallNames(),
      };
      await writeMachineRecord(record);
      node = new RealNode({ layout, lock, record, onRestart: report.note });
      // A program that keeps ending ends the start as well, with its own words.
      const failure = new AbortController();
      void node.failed.then((reason) => failure.abort(reason));
      const signal = AbortSignal.any([failure.signal, ...(options.signal === undefined ? [] : [options.signal])]);
      await startPrograms(node, cluster, layout, options.binaries, signal, report);
      await cluster.attach(node);
      return node;
    } catch (error) {
      if (node === undefined) lock.release();
      await node?.stop();
      throw error;
    }
  });
}

async function startPrograms(
  node: RealNode,
  cluster: EmbeddedCluster,
  layout: NodeLayout,
  binaries: Binaries,
  signal: AbortSignal,
  report: TaskReport,
): Promise<void> {
  const startedAt = Date.now();
  await allowForwarding();
  await makeControlGroups();
  await makePodBridge();
  node.keep(await Relay.start({ address: nodeNetwork.address, port: cluster.port }, cluster.port));
  const containerd = await node.run('containerd', 'containerd', ['--config', join(layout.directory, 'containerd.toml')]);
  await Promise.all([
    node.containerd.ready(signal, () => `see ${containerd.logFile}`).then(() => importStandardImages(node, layout, binaries)),
    applyManifests(cluster.connection(), [...nodeRights(), ...nodeObjects(layout)], {
      fieldManager: 'terrain-embedded',
      signal,
    }),
  ]);
  report.advance(1, 3, 'steps');
  await node.run('kubelet', binaries.path('kubelet'), kubeletArguments(layout));
  const others = await Promise.all([
    node.run('kube-proxy', binaries.path('kube-proxy'), [`--config=${join(layout.directory, 'kube-proxy.yaml')}`]),
    node.run('kube-router', binaries.path('kube-router'), kubeRouterArguments(layout)),
    node.run('coredns', binaries.path('coredns'), ['-conf', join(layout.directory, 'Corefile')]),
  ]);
  report.advance(2, 3, 'steps');
  await nodeReady(cluster, layout, startedAt, signal);
  for (const [index, words] of [/Caches? (are|is) synced|Kube-proxy/i, /network policy/i, /CoreDNS-/].entries()) {
    await hasSaid(others[index]!, words, signal);
  }
  report.advance(3, 3, 'steps');
}

async function importStandardImages(node: RealNode, layout: NodeLayout, binaries: Binaries): Promise<void> {
  await node.importImage(await writePauseImage(layout.images, binaries.path('pause')));
  await node.importImage(await writeShellImage(layout.images, busyboxProgram));
}

/** A node that ran before is called ready for a while after it ended, so only what this kubelet said counts. */
async function nodeReady(
  cluster: EmbeddedCluster,
  { name, logs }: NodeLayout,
  startedAt: number,
  signal: AbortSignal,
): Promise<void> {
  const nodes = new Resource<Node>(cluster.connection(), { group: '', version: 'v1', plural: 'nodes', namespaced: false });
  const ask = async () => {
    const node = await nodes.get({ name }).catch(() => undefined);
    const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
    // Times in the API have no fractions of a second.
    return ready?.status === 'True' && Date.parse(ready.lastHeartbeatTime) > startedAt - 1000 ? true : undefined;
  };
  const missing = () => `see ${join(logs, 'kubelet.log')}`;
  await until(`the readiness of node ${name}`, ask, { timeoutMs: 120_000, everyMs: 200, signal, missing });
}

async function hasSaid(program: ManagedProcess, words: RegExp, signal: AbortSignal): Promise<void> {
  const ask = async () => (words.test(await program.output()) ? true : undefined);
  const missing = () => `see ${program.logFile}`;
  await until(`the start of ${program.name}`, ask, { timeoutMs: 60_000, everyMs: 100, signal, missing });
}
