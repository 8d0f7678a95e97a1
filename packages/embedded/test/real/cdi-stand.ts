/** The shared cluster with a real node, with CDI on it and servers with disks to download: what the suites about imports use. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { appendFile, copyFile, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EmbeddedCluster, ensureBinaries } from '@terrain/embedded';
import { Informers, isNotFound, type KubeObject, Resource, type ResourceType, systemClock } from '@terrain/runtime';
import { Lookout } from '@terrain/runtime/testing';
import type { RealNode } from '#real/node.ts';
import { ensureDebianRoot } from '#real/platform/debian-root.ts';
import { type DiskFile, type DiskFileOptions, makeDiskFile } from '#real/platform/disk-file.ts';
import { DiskServer } from '#real/platform/disk-server.ts';
import { type S3Server, startS3 } from '#real/platform/s3-server.ts';
import { startRealImports } from '#real/platform/start.ts';
import { ImporterLog } from './cdi-importer.ts';
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
  contents: { ...custom('snapshot.storage.k8s.io', 'v1', 'volumesnapshotcontents'), namespaced: false },
  namespaces: { ...core('namespaces'), namespaced: false },
} as const satisfies Record<string, ResourceType>;

/** An object of any kind, read field by field. */
export interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

const watched = [types.images, types.dataVolumes, types.snapshots, types.claims, types.pods, types.volumes, types.contents];

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

export interface Keys {
  readonly accessKeyId: string;
  readonly secretKey: string;
}

export class CdiStand implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly node: RealNode;
  readonly server: DiskServer;
  readonly s3: S3Server;
  /** Where the storage driver keeps volumes and snapshots. */
  readonly volumes: string;
  readonly importers = new ImporterLog();
  /** What the driver calls the volumes that were ever heard of, by the namespace of their claim. */
  readonly #handles = new Map<string, Set<string>>();
  readonly #directory: string;
  readonly #informers: Informers;
  readonly #lookout = new Lookout();
  readonly #servers: DiskServer[] = [];

  private constructor(directory: string, parts: { cluster: EmbeddedCluster; node: RealNode; server: DiskServer; s3: S3Server }) {
    this.#directory = directory;
    ({ cluster: this.cluster, node: this.node, server: this.server, s3: this.s3 } = parts);
    this.volumes = join(this.cluster.home, 'volumes');
    this.#informers = new Informers({ api: this.cluster.connection(), clock: systemClock });
    this.#informers.get<Thing>(types.pods).onChange((change) => {
      if (change.type !== 'deleted') this.importers.pod(change.new);
    });
    this.#informers.get<Thing>(types.dataVolumes).onChange((change) => {
      if (change.type !== 'deleted') this.importers.dataVolume(change.new);
    });
    this.#informers.get<Thing>(types.volumes).onChange((change) => {
      if (change.type !== 'deleted') this.#noteVolume(change.new);
    });
    for (const type of watched) this.#informers.get<Thing>(type).onChange(() => this.#lookout.changed());
    this.#hear(this.server);
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
    await Promise.all(this.#servers.map((server) => server.close()));
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Another server, with figures of its own. */
  async newServer(): Promise<DiskServer> {
    return this.#hear(await DiskServer.start({ host: this.node.address }));
  }

  resource<T extends KubeObject = Thing>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.cluster.connection(), type);
  }

  async namespace(purpose: string): Promise<string> {
    const name = `imports-${purpose}`;
    await this.resource(types.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  /** A disk with bytes in it, made once. `paddingBytes` follow it in its file and are no part of it. */
  async disk(name: string, { paddingBytes = 0, ...options }: DiskFileOptions & { paddingBytes?: number }): Promise<DiskFile> {
    const file = join(this.#directory, 'disks', name);
    await mkdir(dirname(file), { recursive: true });
    const disk = await makeDiskFile(await ensureDebianRoot(), file, options);
    if (paddingBytes === 0) return disk;
    await appendFile(file, randomBytes(paddingBytes));
    return { ...disk, fileBytes: (await stat(file)).size };
  }

  /** The address of an object in the S3 server, by way of the server that counts; it has a file's content, or is not there. */
  async bucketUrl(key: string, file?: string): Promise<string> {
    const object = join(this.s3.root, key);
    await mkdir(dirname(object), { recursive: true });
    if (file !== undefined) await copyFile(file, object);
    return this.server.forward(key, this.s3.origin);
  }

  async createKeys(namespace: string, name: string, { accessKeyId, secretKey }: Keys): Promise<void> {
    const stringData = { accessKeyId, secretKey };
    await this.resource(types.secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData });
  }

  find(type: (typeof watched)[number], namespace: string | undefined, name: string): Thing | undefined {
    return this.#informers.get<Thing>(type).store.get(namespace === undefined ? name : `${namespace}/${name}`);
  }

  list(type: (typeof watched)[number], namespace?: string): Thing[] {
    const all = [...this.#informers.get<Thing>(type).store.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** Waits until something is the case, looking at every change of an object and of what was downloaded. `scene` is told when it never is. */
  until<T>(what: string, look: () => T | undefined | false, scene: () => unknown = () => ''): Promise<T> {
    const complaint = (): string => `waited ${patienceMs / 1000} s for ${what}; ${JSON.stringify(scene())}`;
    return this.#lookout.until(look, { patienceMs, complaint });
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

  async remove(type: (typeof watched)[number], namespace: string, name: string): Promise<void> {
    await this.resource(type)
      .delete({ name, namespace }, {})
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    await this.untilGone(type, namespace, name);
  }
  /** Waits until nothing of an import is left in a namespace, neither in the API nor on the disk. */
  async untilNothingLeft(namespace: string): Promise<void> {
    await Promise.all([types.dataVolumes, types.claims, types.pods].map((type) => this.untilGone(type, namespace)));
    const left = () => this.list(types.volumes).filter(({ spec }) => namespaceOf(spec) === namespace);
    await this.until(
      `the end of the volumes of ${namespace}`,
      () => left().length === 0,
      () => left().map(({ metadata, status }) => [metadata, status]),
    );
    const kept = readdirSync(join(this.volumes, 'volumes'));
    const handles = this.#handles.get(namespace) ?? new Set();
    assert.ok(handles.size > 0, `volumes of ${namespace} were heard of`);
    assert.deepEqual(
      kept.filter((name) => handles.has(name)),
      [],
      `directories of ${namespace}`,
    );
  }

  #hear(server: DiskServer): DiskServer {
    server.onTraffic(() => this.#lookout.changed());
    this.#servers.push(server);
    return server;
  }

  #noteVolume({ spec }: Thing): void {
    const namespace = namespaceOf(spec);
    const handle = (spec?.csi as { volumeHandle?: string } | undefined)?.volumeHandle;
    if (namespace === undefined || handle === undefined) return;
    const handles = this.#handles.get(namespace) ?? new Set();
    this.#handles.set(namespace, handles.add(handle));
  }
}

function namespaceOf(spec: Thing['spec']): string | undefined {
  return (spec?.claimRef as { namespace?: string } | undefined)?.namespace;
}
