/** The shared cluster with a real node, with CDI on it and servers with disks to download: what the suites about imports use. */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EmbeddedCluster, ensureBinaries } from '@terrain/embedded';
import { Informers, isNotFound, type KubeObject, Resource, type ResourceType, systemClock } from '@terrain/runtime';
import type { RealNode } from '#real/node.ts';
import { ensureDebianRoot } from '#real/platform/debian-root.ts';
import { type DiskFile, type DiskFileOptions, makeDiskFile } from '#real/platform/disk-file.ts';
import { DiskServer } from '#real/platform/disk-server.ts';
import { type S3Server, startS3 } from '#real/platform/s3-server.ts';
import { startRealImports } from '#real/platform/start.ts';
import { type RealStand, realCluster } from './real-cluster.ts';

export const mebibyte = 1024 ** 2;
export const storageClass = 'terrain-disk';
const patienceMs = 240_000;

const core = (plural: string): ResourceType => ({ group: '', version: 'v1', plural, namespaced: true });
const custom = (group: string, version: string, plural: string): ResourceType => ({ group, version, plural, namespaced: true });
export const types = {
  images: custom('pelotech.ot', 'v1alpha1', 'vmdiskimages'),
  dataVolumes: custom('cdi.kubevirt.io', 'v1beta1', 'datavolumes'),
  snapshots: custom('snapshot.storage.k8s.io', 'v1', 'volumesnapshots'),
  claims: core('persistentvolumeclaims'),
  pods: core('pods'),
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  events: core('events'),
  volumes: { ...core('persistentvolumes'), namespaced: false },
  namespaces: { ...core('namespaces'), namespaced: false },
} as const satisfies Record<string, ResourceType>;

/** An object of any kind, read field by field. */
export interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

const watched = [types.images, types.dataVolumes, types.snapshots, types.claims, types.pods, types.volumes];

/** Both are started with the first stand of this process, and stopped with its cluster. */
let cdi: Promise<RealStand> | undefined;
let s3: Promise<S3Server> | undefined;

function withCdi(): Promise<RealStand> {
  cdi ??= (async () => {
    const [stand, binaries] = await Promise.all([
      realCluster(),
      ensureBinaries(['cdi'], { binaries: process.env.TERRAIN_BINARIES }),
    ]);
    await startRealImports(stand.cluster, stand.node, { binaries, storageClasses: [storageClass] });
    return stand;
  })();
  return cdi;
}

export class CdiStand implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly node: RealNode;
  readonly server: DiskServer;
  readonly s3: S3Server;
  /** Where the storage driver keeps volumes and snapshots. */
  readonly volumes: string;
  readonly #directory: string;
  readonly #informers: Informers;
  readonly #listeners = new Set<() => void>();

  private constructor(directory: string, parts: { cluster: EmbeddedCluster; node: RealNode; server: DiskServer; s3: S3Server }) {
    this.#directory = directory;
    ({ cluster: this.cluster, node: this.node, server: this.server, s3: this.s3 } = parts);
    this.volumes = join(this.cluster.home, 'volumes');
    this.#informers = new Informers({ api: this.cluster.connection(), clock: systemClock });
    for (const type of watched)
      this.#informers.get<Thing>(type).onChange(() => {
        for (const listener of this.#listeners) listener();
      });
  }

  static async open(): Promise<CdiStand> {
    const directory = mkdtempSync(join(tmpdir(), 'terrain-cdi-'));
    const { cluster, node } = await withCdi();
    const binaries = await ensureBinaries(['s3'], { binaries: process.env.TERRAIN_BINARIES });
    s3 ??= startS3(cluster, { binaries, region: node.address.split('.')[0]! });
    const server = await DiskServer.start({ host: node.address });
    const stand = new CdiStand(directory, { cluster, node, server, s3: await s3 });
    stand.#informers.start();
    await stand.#informers.synced();
    return stand;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.close();
    await this.server.close();
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  resource<T extends KubeObject = Thing>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.cluster.connection(), type);
  }

  async namespace(purpose: string): Promise<string> {
    const name = `imports-${purpose}`;
    await this.resource(types.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  /** A disk with bytes in it, made once. */
  async disk(name: string, options: DiskFileOptions): Promise<DiskFile> {
    const file = join(this.#directory, 'disks', name);
    await mkdir(dirname(file), { recursive: true });
    return makeDiskFile(await ensureDebianRoot(), file, options);
  }

  find(type: (typeof watched)[number], namespace: string | undefined, name: string): Thing | undefined {
    return this.#informers.get<Thing>(type).store.get(namespace === undefined ? name : `${namespace}/${name}`);
  }

  list(type: (typeof watched)[number], namespace?: string): Thing[] {
    const all = [...this.#informers.get<Thing>(type).store.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** Waits until something is the case, looking at every change. `scene` is told when it never is. */
  until<T>(what: string, look: () => T | undefined | false, scene: () => unknown = () => ''): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        clearInterval(nowAndThen);
        this.#listeners.delete(listener);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`waited ${patienceMs / 1000} s for ${what}; ${JSON.stringify(scene())}`));
      }, patienceMs);
      const listener = (): void => {
        const found = look();
        if (found === undefined || found === false) return;
        end();
        resolve(found);
      };
      // For what no object tells, such as how much was downloaded.
      const nowAndThen = setInterval(listener, 500);
      this.#listeners.add(listener);
      listener();
    });
  }

  /** Waits until nothing of a kind is left in a namespace, or of one name in it. */
  async untilGone(type: (typeof watched)[number], namespace: string | undefined, name?: string): Promise<void> {
    const left = () => this.list(type, namespace).filter(({ metadata }) => name === undefined || metadata.name === name);
    await this.until(
      `the end of ${type.plural} in ${namespace ?? 'the cluster'}`,
      () => left().length === 0,
      () => left().map(({ metadata }) => metadata),
    );
  }

  /** The hash of the first bytes of the disk in a claim, as a pod sees them; and whether anything follows them. */
  async diskIn(namespace: string, claim: string, bytes: number): Promise<{ sha256: string; rest: string }> {
    const name = `look-${claim}`.slice(0, 60);
    const script = [
      `head -c ${bytes} /data/disk.img | sha256sum | cut -d' ' -f1`,
      `tail -c +$((${bytes} + 1)) /data/disk.img | tr -d '\\0' | head -c 1 | wc -c`,
    ].join('; ');
    await this.resource(types.pods).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        restartPolicy: 'Never',
        securityContext: { runAsUser: 107, fsGroup: 107 },
        containers: [
          {
            name: 'look',
            image: 'localhost/terrain/shell:1',
            imagePullPolicy: 'Never',
            command: ['sh', '-c', `{ ${script}; } > /dev/termination-log`],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim, readOnly: true } }],
      },
    });
    const pod = await this.until(
      `the end of pod ${name}`,
      () => {
        const found = this.find(types.pods, namespace, name);
        return ['Succeeded', 'Failed'].includes(String(found?.status?.phase)) ? found : undefined;
      },
      () => this.find(types.pods, namespace, name)?.status,
    );
    const statuses = pod.status?.containerStatuses as readonly { state: { terminated?: { message?: string } } }[] | undefined;
    const [sha256 = '', rest = ''] = (statuses?.[0]?.state.terminated?.message ?? '').trim().split('\n');
    await this.remove(types.pods, namespace, name);
    return { sha256, rest: rest.trim() };
  }

  async remove(type: (typeof watched)[number], namespace: string, name: string): Promise<void> {
    await this.resource(type)
      .delete({ name, namespace }, {})
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    await this.untilGone(type, namespace, name);
  }
}
