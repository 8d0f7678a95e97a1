import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Binaries } from '#binary/ensure.ts';
import type { EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { startCompanion } from '#cluster/start-companion.ts';
import { freePort } from '#process/port.ts';

export interface S3Options {
  /** With the program of the group `s3`. */
  readonly binaries: Binaries;
  /** CDI takes the first label of a host for the region, so the server must be called by what it will be addressed by. */
  readonly region: string;
  /** Where buckets are kept: a directory each, with a file for each object. Default: below the cluster's home. */
  readonly root?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A running S3 server, on loopback. */
export interface S3Server {
  readonly origin: string;
  readonly root: string;
  readonly accessKeyId: string;
  readonly secretKey: string;
}

/** Runs an S3 server beside a cluster, with keys of its own that no command line shows. */
export async function startS3(cluster: EmbeddedCluster, options: S3Options): Promise<S3Server> {
  const root = options.root ?? join(cluster.home, 's3');
  const [accessKeyId, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const keys = join(cluster.home, 'pki', 's3.env');
  await mkdir(root, { recursive: true });
  await mkdir(dirname(keys), { recursive: true });
  await writeFile(keys, `ROOT_ACCESS_KEY=${accessKeyId}\nROOT_SECRET_KEY=${secretKey}\n`, { mode: 0o600 });
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const s3 = {
    name: 's3',
    program: '/bin/sh',
    args: [
      '-c',
      'set -a; . "$0"; exec "$@"',
      keys,
      options.binaries.path('versitygw'),
      `--port=${address}`,
      `--region=${options.region}`,
      'posix',
      root,
    ],
    // Bound to no role: it asks nothing of the API.
    user: 'terrain:s3',
    readyWords: address,
  };
  await startCompanion(cluster, s3, options.signal === undefined ? {} : { signal: options.signal });
  return { origin: `http://${address}`, root, accessKeyId, secretKey };
}
