import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface Index {
  readonly manifests: readonly { readonly digest: string; readonly mediaType: string }[];
}

const manifestPath = /^\/v2\/(.+)\/manifests\/([^/]+)$/;
const blobPath = /^\/v2\/.+\/blobs\/sha256:([0-9a-f]{64})$/;

/** A registry of container images that can only be read: the part of the distribution API that a download uses. */
export class RegistryServer {
  readonly port: number;
  readonly #server: Server;
  /** The directory of each image, in the OCI layout, by name and tag. */
  readonly #images: ReadonlyMap<string, string>;

  private constructor(server: Server, images: ReadonlyMap<string, string>) {
    this.#server = server;
    this.#images = images;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(host: string, images: ReadonlyMap<string, string>): Promise<RegistryServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    const started = new RegistryServer(server, images);
    server.on('request', (request, response) => {
      // Whoever asked went away, or a file is not there: both end this answer and nothing else.
      started.#answer(request, response).catch(() => response.destroy());
    });
    return started;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer({ url = '/', method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isHead = method === 'HEAD';
    if (!isHead && method !== 'GET') return void response.writeHead(405).end();
    if (url === '/v2/') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const found = await this.#find(url);
    if (found === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}');
    const { size } = await stat(found.file);
    response.writeHead(200, {
      'content-type': found.mediaType,
      'content-length': size,
      'docker-content-digest': found.digest,
    });
    if (isHead) response.end();
    else await pipeline(createReadStream(found.file), response);
  }

  async #find(url: string): Promise<{ file: string; digest: string; mediaType: string } | undefined> {
    const [, name = '', reference = ''] = manifestPath.exec(url) ?? [];
    const directory = this.#images.get(`${name}:${reference}`);
    if (directory !== undefined) {
      const { manifests } = JSON.parse(await readFile(join(directory, 'index.json'), 'utf8')) as Index;
      const [manifest] = manifests;
      return manifest === undefined ? undefined : { ...manifest, file: blobFile(directory, manifest.digest.split(':')[1]!) };
    }
    const hash = blobPath.exec(url)?.[1];
    for (const image of hash === undefined ? [] : this.#images.values()) {
      const file = blobFile(image, hash!);
      const isThere = await stat(file).then(
        () => true,
        () => false,
      );
      if (isThere) return { file, digest: `sha256:${hash}`, mediaType: 'application/octet-stream' };
    }
    return undefined;
  }
}

const blobFile = (directory: string, hash: string): string => join(directory, 'blobs', 'sha256', hash);
