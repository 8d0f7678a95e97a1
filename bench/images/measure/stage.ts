import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finalizers, ledgerManifest, managerName, syncPolicyName, type VMDiskImage } from '@terrain/api';
import { aVMDiskImage, installation } from '@terrain/api/testing';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { ApiError, applyManifests, type Connection, type Credentials, type KubeObject, Resource } from '@terrain/runtime';
import { freePort } from '../../lib/free-port.ts';
import { Chronicle } from './chronicle.ts';
import { Companion } from './companion.ts';
import { operatorCommand } from './operator-command.ts';
import { collectorKnowsUs } from './settled.ts';
import { operatorNamespace, operatorUser, types } from './types.ts';

const packages = resolve(import.meta.dirname, '../../../packages');
const creators = 16;

/** A running operator, and where it shows its metrics. */
export interface RunningOperator extends AsyncDisposable {
  readonly process: Companion;
  /** Requests it has sent, without watches. */
  requests(): Promise<number>;
  /** Passes of its controllers, over images and whatever else. */
  passes(): Promise<number>;
}

/** A cluster with the platform's kinds, Terrain with all its policies, and programs to start beside it. */
export class Stage implements AsyncDisposable {
  readonly signal: AbortSignal;
  readonly #cluster: TestCluster;

  private constructor(cluster: TestCluster, signal: AbortSignal) {
    this.#cluster = cluster;
    this.signal = signal;
  }

  static async open(signal: AbortSignal): Promise<Stage> {
    const stage = new Stage(await newTestCluster({ controllerManager: true }), signal);
    const { api } = stage;
    await installDefinitions(api, (await ensureUpstream()).definitions);
    await applyManifests(api, installation() as KubeObject[], { fieldManager: 'bench', signal });
    await new Resource(api, types.configMaps).create(ledgerManifest());
    await policiesInForce(api, signal);
    await collectorKnowsUs(api, signal);
    return stage;
  }

  get api(): Connection {
    return this.#cluster.connection();
  }

  get kubeconfig(): string {
    return this.#cluster.kubeconfig;
  }

  /** The administrator's credentials as JSON, for programs that do not want to pay for a loader. */
  credentialsFile(): string {
    const file = join(this.#cluster.directory, 'credentials.json');
    writeFileSync(file, JSON.stringify(this.#cluster.credentials), { mode: 0o600 });
    return file;
  }

  namespace(): Promise<string> {
    return this.#cluster.namespace('bench');
  }

  chronicle(namespace: string): Promise<Chronicle> {
    return Chronicle.of(this.api, namespace, this.signal);
  }

  async setLimit(concurrency: number): Promise<void> {
    await new Resource(this.api, types.configMaps).apply(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: syncPolicyName, namespace: operatorNamespace },
        data: { concurrency: String(concurrency) },
      } as KubeObject,
      { fieldManager: 'bench', force: true },
    );
  }

  /** Plays the platform with these durations; where it says what downloads would have cost. */
  async simulator(scenario: object): Promise<{ companion: Companion; egressUrl: string }> {
    const file = join(this.#cluster.directory, 'scenario.json');
    writeFileSync(file, JSON.stringify(scenario));
    const main = join(packages, 'embedded/src/simulator/main.ts');
    const args = [main, '--kubeconfig', this.kubeconfig, '--scenario', file];
    const { companion, line } = await Companion.start('simulator', args, 'simulator ready');
    return { companion, egressUrl: /egress at (\S+)/.exec(line)?.[1] ?? '' };
  }

  /** The operator as `npm run operator` starts it, with the rights it has in a pod. There is one, so no election: what it asks for is work. */
  async operator(): Promise<RunningOperator> {
    const port = await freePort();
    const file = join(this.#cluster.directory, 'operator.json');
    writeFileSync(file, kubeconfigText(this.#cluster.credentialsOf(operatorUser, groups)), { mode: 0o600 });
    const command = operatorCommand();
    const env = { ...command.env, TERRAIN_KUBECONFIG: file, TERRAIN_HEALTH_PORT: String(port) };
    const extra = (process.env.TERRAIN_BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
    const args = [...command.flags, ...extra, join(packages, 'operator/src/main.mjs'), '--no-leader-election'];
    const { companion } = await Companion.start('operator', args, '"msg":"working"', env);
    return {
      process: companion,
      requests: () => requestsOf(port),
      passes: async () => sumOf(await metricsAt(port), /^controller_runtime_reconcile_total\{.*\} (\S+)$/gm),
      [Symbol.asyncDispose]: () => companion.end(process.env.TERRAIN_BENCH_NODE_FLAGS === undefined ? 'SIGKILL' : 'SIGTERM'),
    };
  }

  /** Creates images one after the other where their order counts, otherwise several at a time. */
  async createImages(
    namespace: string,
    count: number,
    { sim, isInOrder = false, prefix = 'image' }: { sim?: string; isInOrder?: boolean; prefix?: string } = {},
  ): Promise<void> {
    const images = new Resource<VMDiskImage>(this.api, types.images);
    let next = 0;
    const create = async (): Promise<void> => {
      while (next < count) {
        this.signal.throwIfAborted();
        const name = `${prefix}-${String(next++).padStart(6, '0')}`;
        const url = `https://images.example.com/${name}.qcow2${sim === undefined ? '' : `?sim=${sim}`}`;
        await images.create(aVMDiskImage({ metadata: { name, namespace }, spec: { url, diskSize: '1Gi' } }));
      }
    };
    await Promise.all(Array.from({ length: isInOrder ? 1 : creators }, create));
  }

  /** Events the operator wrote about objects of a namespace, repetitions included. */
  async events(namespace: string): Promise<number> {
    const { items } = await new Resource<EventObject>(this.api, types.events).list({ namespace });
    return items
      .filter(({ reportingController }) => reportingController === managerName)
      .reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.stop();
  }
}

/** Policies are in force, and know the kinds they are about, some time after they are stored. */
async function policiesInForce(api: Connection, signal: AbortSignal): Promise<void> {
  const images = new Resource<VMDiskImage>(api, types.images);
  const probe = (url: string): VMDiskImage => aVMDiskImage({ metadata: { name: 'probe', namespace: 'default' }, spec: { url } });
  const isFinalized = (): Promise<boolean> =>
    images.create(probe('https://images.example.com/x'), { dryRun: true }).then(
      ({ metadata }) => metadata.finalizers?.includes(finalizers.pelotechCleanup) === true,
      () => false,
    );
  const isRefused = (): Promise<boolean> =>
    images.create(probe('http://localhost/x'), { dryRun: true }).then(
      () => false,
      (error: unknown) => error instanceof ApiError && error.code === 403,
    );
  while (!((await isFinalized()) && (await isRefused()))) await delay(100, undefined, { signal });
}

interface EventObject extends KubeObject {
  readonly reportingController?: string;
  readonly series?: { readonly count: number };
}

const groups = ['system:serviceaccounts', `system:serviceaccounts:${operatorNamespace}`, 'system:authenticated'];

async function requestsOf(port: number): Promise<number> {
  const text = await metricsAt(port);
  const watches = sumOf(text, /^rest_client_request_duration_seconds_count\{verb="WATCH"\} (\S+)$/gm);
  return sumOf(text, /^rest_client_requests_total\{.*\} (\S+)$/gm) - watches;
}

const metricsAt = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

const sumOf = (text: string, samples: RegExp): number =>
  [...text.matchAll(samples)].reduce((all, [, value]) => all + Number(value), 0);

function kubeconfigText({ server, ca, cert, key }: Credentials): string {
  const base64 = (pem: string | undefined): string => Buffer.from(pem ?? '').toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'u', user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
  });
}
