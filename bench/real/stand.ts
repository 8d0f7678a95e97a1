/** A cluster with a real node, storage, CDI and the operator, and what is timed on it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataVolumeName, type VMDiskImage } from '@terrain/api';
import {
  DiskServer,
  type EmbeddedCluster,
  ensureBinaries,
  ensureDebianRoot,
  makeDiskFile,
  nodeGroupNames,
  startCluster,
  startRealImports,
  startRealNode,
  startStorage,
} from '@terrain/embedded';
import { setSyncPolicy, startOperator } from '@terrain/embedded/testing';
import { type KubeObject, Resource, type ResourceType, waitForObject } from '@terrain/runtime';

const storageClass = 'terrain-disk';
const namespace = 'default';
const timeoutMs = 300_000;
const type = (group: string, version: string, plural: string): ResourceType => ({ group, version, plural, namespaced: true });
const types = {
  dataVolumes: type('cdi.kubevirt.io', 'v1beta1', 'datavolumes'),
  claims: type('', 'v1', 'persistentvolumeclaims'),
  images: type('pelotech.ot', 'v1alpha1', 'vmdiskimages'),
  snapshots: type('snapshot.storage.k8s.io', 'v1', 'volumesnapshots'),
};

interface Claim extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export class RealStand implements AsyncDisposable {
  readonly #cluster: EmbeddedCluster;
  readonly #server: DiskServer;
  readonly #url: string;
  readonly #directory: string;

  private constructor(parts: { cluster: EmbeddedCluster; server: DiskServer; url: string; directory: string }) {
    this.#cluster = parts.cluster;
    this.#server = parts.server;
    this.#url = parts.url;
    this.#directory = parts.directory;
  }

  static async start(signal: AbortSignal, bytes: number): Promise<RealStand> {
    const directory = mkdtempSync(join(tmpdir(), 'terrain-bench-'));
    const binaries = await ensureBinaries([...nodeGroupNames, 'cdi'], { signal });
    const cluster = await startCluster({ home: join(directory, 'home'), nodes: 0, signal });
    try {
      const node = await startRealNode(cluster, { binaries, signal });
      await startStorage(cluster, { binaries, node: node.name, kubelet: node.kubelet, signal });
      await startRealImports(cluster, node, { binaries, storageClasses: [storageClass], signal });
      await startOperator(cluster, { signal });
      await setSyncPolicy(cluster, { allowInternalSources: 'true' });
      const server = await DiskServer.start({ host: node.address });
      const disk = await makeDiskFile(await ensureDebianRoot(), join(directory, 'disk.qcow2'), {
        sizeBytes: bytes * 1.25,
        dataBytes: bytes,
      });
      return new RealStand({ cluster, server, url: server.put('disk.qcow2', disk.file), directory });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.#cluster.stop();
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Seconds from a DataVolume being asked for to its claim being bound, with nobody of ours about. */
  async importByCdi(name: string): Promise<number> {
    const storage = { storageClassName: storageClass, resources: { requests: { storage: '160Mi' } } };
    return this.#dataVolume(name, { source: { http: { url: this.#url } }, storage });
  }

  async clone(name: string, snapshot: string): Promise<number> {
    return this.#dataVolume(name, {
      source: { snapshot: { namespace, name: snapshot } },
      storage: { storageClassName: storageClass },
    });
  }

  /** The same import as a VMDiskImage: until its claim is bound as well, and from there until it is ready, with a snapshot. */
  async importByTerrain(name: string): Promise<{ importSeconds: number; snapshotSeconds: number; snapshot: string }> {
    const connection = this.#cluster.connection();
    const image = {
      apiVersion: 'pelotech.ot/v1alpha1',
      kind: 'VMDiskImage',
      metadata: { name, namespace },
      spec: { name, url: this.#url, sourceType: 'http', diskSize: '160Mi', storageClass },
    };
    const begun = performance.now();
    const { metadata } = await new Resource(connection, types.images).create(image);
    await this.#claimBound(dataVolumeName({ name, uid: metadata.uid ?? '', attempt: 1 }));
    const bound = performance.now();
    const done = await waitForObject<VMDiskImage>(
      connection,
      types.images,
      { name, namespace },
      (found) => (found?.status?.phase === 'Succeeded' ? undefined : `is ${found?.status?.phase}: ${found?.status?.message}`),
      { timeoutMs },
    );
    const snapshot = done?.status?.artifact?.volumeSnapshot ?? '';
    return { importSeconds: (bound - begun) / 1000, snapshotSeconds: (performance.now() - bound) / 1000, snapshot };
  }

  /** Resident memory of everything that runs all the time, CDI's two programs in their pods too. */
  memory(): readonly (readonly [string, number])[] {
    const ours = this.#cluster.processes().map(({ name, residentBytes }) => [name, residentBytes ?? 0] as const);
    const cdi = ['cdi-controller', 'cdi-apiserver'].map((name) => [name, residentBytesOf(`/usr/bin/${name}`)] as const);
    return [...ours, ...cdi];
  }

  async #dataVolume(name: string, spec: object): Promise<number> {
    const connection = this.#cluster.connection();
    const begun = performance.now();
    const object = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata: { name, namespace }, spec };
    await new Resource<KubeObject>(connection, types.dataVolumes).create(object);
    await this.#claimBound(name);
    return (performance.now() - begun) / 1000;
  }

  async #claimBound(name: string): Promise<void> {
    const judge = (claim: Claim | undefined) => (claim?.status?.phase === 'Bound' ? undefined : 'is not bound');
    await waitForObject<Claim>(this.#cluster.connection(), types.claims, { name, namespace }, judge, { timeoutMs });
  }
}

function residentBytesOf(program: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${program}\0`)) continue;
      return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    } catch {
      // It ended meanwhile.
    }
  }
  return 0;
}
