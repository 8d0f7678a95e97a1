/** Where pods find the servers with disks that run on this machine: by the names of Services, which stay the same over restarts. */
export const sourceNamespace = 'sources';

export type SourceKind = 'http' | 's3' | 'registry';

interface SourceService {
  readonly name: string;
  readonly port: number;
}

/**
 * The Service of each kind. CDI takes the first label of an S3 server's host for its region, so that one is called by the region it is in.
 */
export const sourceServices: Readonly<Record<SourceKind, SourceService>> = {
  http: { name: 'disks', port: 80 },
  s3: { name: 'us-gov-west-1', port: 80 },
  registry: { name: 'registry', port: 5000 },
};

/** The host as it stands in a URL. */
export function sourceHost(kind: SourceKind): string {
  const { name, port } = sourceServices[kind];
  return `${name}.${sourceNamespace}${port === 80 ? '' : `:${port}`}`;
}

/** The URL of a disk: `path` is a path, a bucket and a key, or the name and tag of an image. */
export function sourceUrl(kind: SourceKind, path: string): string {
  return `${kind === 'registry' ? 'docker' : 'http'}://${sourceHost(kind)}/${path}`;
}
