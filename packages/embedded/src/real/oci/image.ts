import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Entry } from './entry.ts';
import { tarOf } from './tar.ts';

/** What a container of the image runs unless the pod says otherwise. */
export interface ImageConfig {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workingDirectory?: string;
}

export interface ImageOptions {
  /** Full name with a tag other than `latest`, so that nobody tries to pull it: `localhost/terrain/pause:1`. */
  readonly name: string;
  /** From the lowest to the topmost; directories that are not mentioned are made by the container runtime. */
  readonly layers: readonly (AsyncIterable<Entry> | Iterable<Entry>)[];
  readonly config?: ImageConfig;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
  readonly source: { readonly file: string } | { readonly text: string };
}

interface LayerBlob extends Blob {
  /** Digest of the layer before it was compressed: what a runtime checks after unpacking. */
  readonly plainDigest: string;
}

/**
 * Writes an image as an archive in the OCI layout, with no help of a container tool.
 *
 * Guarantees: the same content gives the same bytes and digest; the file is there whole or not at all.
 */
export async function writeImage(
  file: string,
  { name, layers, config = {} }: ImageOptions,
): Promise<{ readonly digest: string }> {
  const scratch = await mkdtemp(join(dirname(file), '.image-'));
  try {
    const layerBlobs: LayerBlob[] = [];
    for (const [index, layer] of layers.entries()) layerBlobs.push(await writeLayer(join(scratch, `layer-${index}`), layer));
    const configBlob = textBlob(imageConfig(config, layerBlobs));
    const manifestBlob = textBlob({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: descriptor('application/vnd.oci.image.config.v1+json', configBlob),
      layers: layerBlobs.map((blob) => descriptor('application/vnd.oci.image.layer.v1.tar+gzip', blob)),
    });
    const index = {
      schemaVersion: 2,
      manifests: [
        {
          ...descriptor('application/vnd.oci.image.manifest.v1+json', manifestBlob),
          platform: platform(),
          annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.split(':').at(-1) },
        },
      ],
    };
    const blobs = new Map([configBlob, manifestBlob, ...layerBlobs].map((blob) => [blob.digest, blob]));
    const entries: Entry[] = [
      { kind: 'text', path: 'oci-layout', text: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
      { kind: 'text', path: 'index.json', text: JSON.stringify(index) },
      ...[...blobs.values()].map(blobEntry),
    ];
    const whole = join(scratch, 'image.tar');
    await pipeline(tarOf(entries), createWriteStream(whole));
    await rename(whole, file);
    return { digest: manifestBlob.digest };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Name and digest of the one image in an archive that `writeImage` wrote. */
export async function readImageIndex(archive: string): Promise<{ readonly name: string; readonly digest: string }> {
  await using file = await open(archive);
  // The index is the second entry: after a header and a block for `oci-layout`, and its own header.
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(8192), position: 3 * 512 });
  const text = buffer.subarray(0, bytesRead).toString('utf8');
  const { manifests } = JSON.parse(text.slice(0, text.indexOf('\0'))) as IndexFile;
  const [manifest] = manifests;
  return { name: manifest?.annotations['io.containerd.image.name'] ?? '', digest: manifest?.digest ?? '' };
}

interface IndexFile {
  readonly manifests: readonly { readonly digest: string; readonly annotations: Readonly<Record<string, string>> }[];
}

async function writeLayer(file: string, entries: AsyncIterable<Entry> | Iterable<Entry>): Promise<LayerBlob> {
  const plain = createHash('sha256');
  const packed = createHash('sha256');
  // Level 1: it is written once and read once, on the same machine.
  await pipeline(
    tarOf(entries),
    (bytes) => hashed(bytes as AsyncIterable<Buffer>, plain),
    createGzip({ level: 1 }),
    (bytes) => hashed(bytes as AsyncIterable<Buffer>, packed),
    createWriteStream(file),
  );
  const { size } = await stat(file);
  return { digest: digestOf(packed), plainDigest: digestOf(plain), size, source: { file } };
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

function imageConfig(config: ImageConfig, layers: readonly LayerBlob[]): object {
  return {
    ...platform(),
    config: {
      ...(config.user === undefined ? {} : { User: config.user }),
      ...(config.entrypoint === undefined ? {} : { Entrypoint: config.entrypoint }),
      ...(config.command === undefined ? {} : { Cmd: config.command }),
      ...(config.workingDirectory === undefined ? {} : { WorkingDir: config.workingDirectory }),
      Env: Object.entries({ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...config.environment }).map(
        ([key, value]) => `${key}=${value}`,
      ),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ plainDigest }) => plainDigest) },
  };
}

function platform(): { readonly os: string; readonly architecture: string } {
  return { os: 'linux', architecture: process.arch === 'arm64' ? 'arm64' : 'amd64' };
}

function textBlob(content: object): Blob {
  const text = JSON.stringify(content);
  return { digest: digestOf(createHash('sha256').update(text)), size: Buffer.byteLength(text), source: { text } };
}

function blobEntry({ digest, source }: Blob): Entry {
  const path = `blobs/${digest.replace(':', '/')}`;
  return 'file' in source ? { kind: 'file', path, source: source.file } : { kind: 'text', path, text: source.text };
}

function descriptor(mediaType: string, { digest, size }: Blob): object {
  return { mediaType, digest, size };
}

function digestOf(hash: Hash): string {
  return `sha256:${hash.digest('hex')}`;
}
