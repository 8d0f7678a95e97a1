import { join } from 'node:path';
import { applyManifests } from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import type { ClusterPart, EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { type Progress, runTask, silent } from '#progress.ts';
import type { RealNode } from '../node.ts';
import { type DebianRoot, ensureDebianRoot } from '../platform/debian-root.ts';
import { DiskServer } from '../platform/disk-server.ts';
import { startS3 } from '../platform/s3-server.ts';
import { type SourceKind, sourceServices, sourceUrl } from './address.ts';
import { ensureDisk, ensureDiskImage, fileOf, sha256Of } from './disks.ts';
import { sourceObjects } from './objects.ts';
import { RegistryServer } from './registry-server.ts';

/** A disk to be downloaded from this machine. */
export interface Source {
  readonly kind: SourceKind;
  /** Of the URL, without its first slash: a path, a bucket and a key, or the name and tag of an image. */
  readonly path: string;
}

export interface SourcesOptions {
  /** With the program of the group `s3`. */
  readonly binaries: Binaries;
  readonly sources: readonly Source[];
  readonly progress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Servers with disks, on this machine, for pods of its node. */
export interface Sources {
  /** What the S3 server wants to be told. */
  readonly keys: { readonly accessKeyId: string; readonly secretKey: string };
  /** By URL, of every disk that is a plain file: as a download is checked. */
  readonly sha256: ReadonlyMap<string, string>;
}

/**
 * Serves disks to the pods of a real node over HTTP, S3 and as container images: small ones with bytes of their own, made at the first start and
 * kept in the home.
 *
 * Guarantees: the same URL gives the same bytes after a restart; nothing listens where other machines can reach it; ends with the cluster.
 */
export async function startSources(cluster: EmbeddedCluster, node: RealNode, options: SourcesOptions): Promise<Sources> {
  const { progress = silent, sources, binaries, signal } = options;
  const root = await ensureDebianRoot({ progress });
  const title = 'Servers with small disks for the examples: HTTP, S3, registry';
  return runTask(progress, { name: 'sources', title }, async (report) => {
    const region = sourceServices.s3.name;
    const s3 = await startS3(cluster, { binaries, region, signal });
    const directories = {
      http: join(cluster.home, 'sources', 'http'),
      s3: s3.root,
      registry: join(cluster.home, 'sources', 'registry'),
    };
    let done = 0;
    for (const source of sources) {
      signal?.throwIfAborted();
      await ensureSource(root, source, fileOf(directories[source.kind], source.path));
      report.advance(++done, sources.length, 'disks');
    }

    const files = sources.filter(({ kind }) => kind !== 'registry');
    const sha256 = new Map<string, string>();
    for (const { kind, path } of files) sha256.set(sourceUrl(kind, path), await sha256Of(fileOf(directories[kind], path)));
    const images = new Map(
      sources.filter(({ kind }) => kind === 'registry').map(({ path }) => [path, fileOf(directories.registry, path)]),
    );

    const server = await DiskServer.start({ host: node.address });
    const registry = await RegistryServer.start(node.address, images);
    await cluster.attach(partOf(async () => void (await Promise.all([server.close(), registry.close()]))));
    for (const { kind, path } of files) {
      if (kind === 's3') server.forward(path, s3.origin);
      else server.put(path, fileOf(directories.http, path));
    }
    const port = Number(new URL(server.origin).port);
    await applyManifests(cluster.connection(), sourceObjects(node.address, { http: port, s3: port, registry: registry.port }), {
      fieldManager: 'terrain-embedded',
      ...(signal === undefined ? {} : { signal }),
    });
    return { keys: { accessKeyId: s3.accessKeyId, secretKey: s3.secretKey }, sha256 };
  });
}

async function ensureSource(root: DebianRoot, { kind, path }: Source, file: string): Promise<void> {
  if (kind === 'registry') await ensureDiskImage(root, file, sourceUrl(kind, path).replace('docker://', ''));
  else await ensureDisk(root, file);
}

/** Something in this process that ends with the cluster. */
function partOf(stop: () => Promise<void>): ClusterPart {
  return { processes: () => [], stop, failed: new Promise(() => {}) };
}
