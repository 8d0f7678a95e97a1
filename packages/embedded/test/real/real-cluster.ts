/** One cluster with a real node and storage, shared by the suites of this process; and what they do with it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type EmbeddedCluster, ensureBinaries, type Progress, startCluster, startStorage } from '@terrain/embedded';
import { applyManifests, type KubeObject } from '@terrain/runtime';
import { nodeGroupNames } from '#binary/group.ts';
import { until } from '#process/until.ts';
import type { RealNode } from '#real/node.ts';
import { shellImage } from '#real/oci/standard-images.ts';
import { startRealNode } from '#real/start.ts';
import { realNodeTurn } from './turn.ts';

export const patience = { timeoutMs: 180_000, everyMs: 250 } as const;
const from = process.env.TERRAIN_BINARIES;

/** A cluster in a home with everything a pod needs; for tests that start and stop one themselves. */
export async function startRealCluster(
  home: string,
  progress: Progress,
): Promise<{ readonly cluster: EmbeddedCluster; readonly node: RealNode }> {
  const binaries = await ensureBinaries(nodeGroupNames, { binaries: from });
  const cluster = await startCluster({ home, nodes: 0, binaries: from });
  try {
    // Another suite may have the machine's one real node just now.
    const node = await startRealNode(cluster, { binaries, progress, waitMs: 600_000 });
    await startStorage(cluster, { binaries, node: node.name, kubelet: node.kubelet });
    return { cluster, node };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** The home of this process; made with the first question, removed at the end. */
let directory: string | undefined;
export function sharedHome(): string {
  directory ??= mkdtempSync(join(tmpdir(), 'terrain-real-'));
  return join(directory, 'home');
}

export interface RealStand {
  readonly cluster: EmbeddedCluster;
  readonly node: RealNode;
  readonly shell: Shell;
  /** What the start of the node had to say. */
  readonly notes: readonly string[];
}

let shared: Promise<RealStand> | undefined;

/** Started at the first call, from whatever is in the shared home by then. */
export function realCluster(): Promise<RealStand> {
  shared ??= (async () => {
    await realNodeTurn();
    const notes: string[] = [];
    const { cluster, node } = await startRealCluster(sharedHome(), (event) => {
      if (event.type === 'note') notes.push(event.message);
    });
    return { cluster, node, notes, shell: await shellOf(cluster.kubeconfig) };
  })();
  return shared;
}

after(async () => {
  await shared?.then(
    ({ cluster }) => cluster.stop(),
    () => undefined,
  );
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl, and what is built upon it. */
export interface Shell {
  kubectl(...args: readonly string[]): Promise<Answer>;
  /** Runs a command in a pod; a code other than 0 is an answer. */
  exec(namespace: string, pod: string, command: string): Promise<Answer>;
  /** What a command in a pod prints once it succeeds. */
  execUntil(namespace: string, pod: string, command: string, isFine?: (stdout: string) => boolean): Promise<string>;
  running(namespace: string, ...pods: readonly string[]): Promise<void>;
}

export async function shellOf(kubeconfig: string): Promise<Shell> {
  const program = (await ensureBinaries(['core'], { binaries: from })).path('kubectl');
  const kubectl = (...args: readonly string[]) =>
    new Promise<Answer>((resolve) => {
      const env = { ...process.env, KUBECACHEDIR: join(kubeconfig, '..', 'kubectl-cache') };
      execFile(program, ['--kubeconfig', kubeconfig, ...args], { env, timeout: 150_000 }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      );
    });
  const exec = (namespace: string, pod: string, command: string) =>
    kubectl('exec', '-n', namespace, pod, '--', 'sh', '-c', command);
  return {
    kubectl,
    exec,
    async execUntil(namespace, pod, command, isFine = () => true) {
      let last: Answer | undefined;
      const ask = async () => {
        last = await exec(namespace, pod, command);
        return last.code === 0 && isFine(last.stdout) ? last.stdout : undefined;
      };
      return until(`\`${command}\` in pod ${namespace}/${pod}`, ask, { ...patience, missing: () => JSON.stringify(last) });
    },
    async running(namespace, ...pods) {
      for (const pod of pods) {
        const ask = async () => {
          const { stdout } = await kubectl('get', 'pod', pod, '-n', namespace, '-o', 'jsonpath={.status.phase}');
          return stdout === 'Running' ? true : undefined;
        };
        const missing = async () => (await kubectl('describe', 'pod', pod, '-n', namespace)).stdout.slice(-1500);
        await until(`pod ${namespace}/${pod} running`, ask, { ...patience, missing });
      }
    },
  };
}

export function apply(cluster: Pick<EmbeddedCluster, 'connection'>, ...objects: readonly object[]): Promise<unknown> {
  return applyManifests(cluster.connection(), objects as KubeObject[], { fieldManager: 'test' });
}

export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Mounted at /data. */
  readonly claim?: string;
}

/** A pod of the shell image that runs a script and then stays. */
export function shellPod(namespace: string, name: string, script: string, options: PodOptions = {}): object {
  const { labels = {}, annotations = {}, claim } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name, ...labels }, annotations },
    spec: {
      // The first process of a container ignores a polite request unless it asks for it; nobody wants to wait for that.
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: shellImage,
          imagePullPolicy: 'Never',
          command: ['sh', '-c', `${script}; exec sleep 1000000`],
          ...(claim === undefined ? {} : { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
        },
      ],
      ...(claim === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
    },
  };
}

export const namespaceObject = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** A script that serves one word over HTTP. */
export const serve = (word: string, port = 8080) => `mkdir -p /www && echo ${word} > /www/index.html && httpd -p ${port} -h /www`;

/** A command that reads what such a script serves; busybox's own wget crashes. */
export const fetchFrom = (host: string, port = 8080) =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 ${host} ${port} | tail -n 1`;

export function claimObject(namespace: string, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
  };
}
