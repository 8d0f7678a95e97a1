import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@terrain/runtime';
import { type Binaries, type EnsureOptions, ensureBinaries } from '#binary/ensure.ts';
import { kubernetesVersion } from '#binary/group.ts';
import { ControlPlane } from '#control-plane/control-plane.ts';
import { administrator } from '#control-plane/pki.ts';
import { EmbeddedError, isEmbeddedError } from '#embedded-error.ts';
import { type HomeLayout, homeLayout } from '#home/layout.ts';
import { rotateLog } from '#home/logs.ts';
import { portTakenSentence } from '#home/port-holder.ts';
import { type HomePlatform, platformRefusal, writeRecord } from '#home/record.ts';
import { startSimulatedNodes } from '#node/start.ts';
import { freePort } from '#process/port.ts';
import { together } from '#process/together.ts';
import { until } from '#process/until.ts';
import { type Progress, runTask, silent } from '#progress.ts';
import { ensureUpstream } from '#upstream/ensure.ts';
import type { Upstream } from '#upstream/extract.ts';
import { installDefinitions } from '#upstream/install.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';
import { etcdFailure, etcdSilence } from './etcd-failure.ts';
import { lockHome, openHome } from './open-home.ts';
import { choosePort, type PortChoice } from './port.ts';
import { type RunningFile, removeRunningFile, writeRunningFile } from './running-file.ts';

export interface StartOptions extends Pick<EnsureOptions, 'progress' | 'signal' | 'cacheDirectory' | 'binaries'> {
  /** Where the cluster keeps its data, keys, logs and kubeconfig; made when absent. */
  readonly home: string;
  /** Whether disks and pods are to be real. A home that has been the other is refused. Default: as it was, and not recorded. */
  readonly platform?: HomePlatform | undefined;
  /** How many simulated nodes; 0 for none. Default 2. */
  readonly nodes?: number | undefined;
  /** The API server's port. Default: the one this home had before, or a free one. */
  readonly port?: number | undefined;
}

const logNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];

/**
 * Starts the cluster of a home, and makes the home at the first start.
 *
 * Guarantees: returns only when the API is ready, the platform's definitions are served and the nodes are ready; when it throws, or the
 * signal is aborted, nothing is left running and the home is free. Data is never deleted.
 */
export async function startCluster(options: StartOptions): Promise<EmbeddedCluster> {
  const layout = homeLayout(options.home);
  const progress = options.progress ?? silent;
  const lock = await lockHome(layout);
  let plane: ControlPlane | undefined;
  try {
    const record = await openHome(layout);
    const hasData = existsSync(join(layout.data, 'member'));
    const { platform = record.platform } = options;
    const refusal =
      platform === undefined ? undefined : platformRefusal({ ...layout, before: record.platform, asked: platform, hasData });
    if (refusal !== undefined) throw refusal;
    await writeRunningFile(layout, runningFile('starting', options));
    // Asked before the build, so that nobody waits for minutes to be refused.
    const choice = await choosePort(options.port, record.port, layout.home);
    const [binaries, upstream] = await gather(options);
    for (const name of logNames) await rotateLog(join(layout.logs, `${name}.log`));

    plane = await ControlPlane.prepare({ directory: layout.home, binaries, throwAway: false, signal: options.signal });
    if (record.port !== undefined && !hasData) {
      progress({
        type: 'note',
        task: 'control-plane',
        message: `There is no data in ${layout.data}; starting with an empty cluster.`,
      });
    }
    const port = await startServers(plane, choice, layout, progress);
    await writeRecord(layout, {
      ...record,
      kubernetes: kubernetesVersion,
      port,
      ...(platform === undefined ? {} : { platform }),
    });
    await startRest(plane, port, upstream, options);
    await writeRunningFile(layout, {
      ...runningFile('running', options),
      port,
      processes: plane.processes.map(({ name, pid }) => ({ name, pid })),
    });
    const onRestart = (message: string) => progress({ type: 'note', task: 'supervisor', message });
    return new EmbeddedCluster({ layout, lock, plane, port, onRestart });
  } catch (error) {
    plane?.killAll();
    await Promise.all(plane?.processes.map((component) => component.waitForExit()) ?? []);
    await removeRunningFile(layout);
    lock.release();
    throw error;
  }
}

function runningFile(state: 'starting' | 'running', { binaries }: StartOptions): RunningFile {
  const programs = binaries === undefined ? {} : { binaries: resolve(binaries) };
  return { pid: process.pid, state, startedAt: new Date().toISOString(), processes: [], ...programs };
}

/** Downloads and compiles at the same time: one waits for the network while the other uses the processor. */
function gather(options: StartOptions): Promise<readonly [Binaries, Upstream]> {
  const groups = options.nodes === 0 ? (['core'] as const) : (['core', 'sim'] as const);
  return together(options.signal, [
    (signal) => ensureBinaries(groups, { ...options, signal }),
    (signal) => ensureUpstream({ ...options, signal }),
  ]);
}

/** etcd and the API server; returns the port on which the latter answers. */
async function startServers(plane: ControlPlane, choice: PortChoice, layout: HomeLayout, progress: Progress): Promise<number> {
  return runTask(progress, { name: 'control-plane', title: `Kubernetes ${kubernetesVersion} API server` }, async (report) => {
    await plane.startEtcd();
    for (let { port } = choice, attempt = 1; ; attempt++) {
      const connection = new Connection(plane.credentials(port));
      try {
        await plane.startApiServer(port);
        await plane.apiServerReady(connection, port);
        await plane.writeKubeconfig(port, administrator, 'kubeconfig');
        return port;
      } catch (error) {
        const reason = await etcdReason(plane, layout);
        if (reason !== undefined) throw reason;
        if (!isEmbeddedError(error, 'PortTaken')) throw error;
        if (choice.isFixed || attempt === 5) throw new EmbeddedError('PortTaken', await portTakenSentence(port, layout.home));
        const taken = port;
        port = await freePort();
        report.note(`Port ${taken} was taken a moment ago; using ${port} instead.`);
      } finally {
        await connection.close();
      }
    }
  });
}

/** Undefined unless etcd is to blame for a start that failed. */
async function etcdReason(plane: ControlPlane, layout: HomeLayout): Promise<EmbeddedError | undefined> {
  const etcd = plane.process('etcd')!;
  if (etcd.exit !== undefined) return etcdFailure(await etcd.output(), layout);
  const words = await plane.process('kube-apiserver')?.lastWords();
  return words?.includes('error creating storage factory') ? etcdSilence(await etcd.output(), layout) : undefined;
}

/** What needs a ready API server. All of it at once, since most of the time goes into waiting. */
async function startRest(plane: ControlPlane, port: number, upstream: Upstream, options: StartOptions): Promise<void> {
  const progress = options.progress ?? silent;
  const count = options.nodes ?? 2;
  await using connection = new Connection(plane.credentials(port), { timeoutMs: 60_000 });
  const controllers = async (signal: AbortSignal) => {
    await Promise.all([plane.startControllerManager(port), plane.startScheduler(port)]);
    await defaultServiceAccount(connection, signal);
  };
  const definitions = (signal: AbortSignal) =>
    runTask(progress, { name: 'definitions', title: 'Definitions of CDI, KubeVirt, snapshots and networks' }, async (report) => {
      const onInstalled = (done: number, total: number) => report.advance(done, total, 'definitions');
      await installDefinitions(connection, upstream.definitions, { signal, onInstalled });
    });
  const nodes = (signal: AbortSignal) => startSimulatedNodes({ plane, port, connection, upstream, count, signal });
  await plane.whileAllRun(options.signal, (running) =>
    together(running, [
      (signal) =>
        runTask(progress, { name: 'controllers', title: 'Controller-manager and scheduler' }, () => controllers(signal)),
      definitions,
      (signal) =>
        runTask(progress, { name: 'nodes', title: count === 0 ? 'No simulated nodes' : `${count} simulated nodes` }, () =>
          nodes(signal),
        ),
    ]),
  );
}

/** Until it exists no pod is admitted, so the cluster is of no use yet. */
async function defaultServiceAccount(connection: Connection, signal: AbortSignal | undefined): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  const ask = () =>
    connection.request({ method: 'GET', path }).then(
      () => true,
      () => undefined,
    );
  await until('the default service account', ask, {
    timeoutMs: 60_000,
    signal,
    missing: () => 'see logs/kube-controller-manager.log',
  });
}
