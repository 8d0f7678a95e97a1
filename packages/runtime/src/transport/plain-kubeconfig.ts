import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Credentials } from './credentials.ts';

interface Named {
  readonly name: string;
}
interface KubeconfigFile {
  readonly 'current-context'?: string;
  readonly contexts?: readonly (Named & { readonly context?: { readonly cluster?: string; readonly user?: string } })[];
  readonly clusters?: readonly (Named & { readonly cluster?: Readonly<Record<string, unknown>> })[];
  readonly users?: readonly (Named & { readonly user?: Readonly<Record<string, unknown>> })[];
}

/** What is understood here. Anything else in an entry, as an exec plugin, is for the full loader. */
const clusterFields = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'proxy-url',
]);
const userFields = new Set(['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token', 'as']);

/**
 * Credentials of a kubeconfig file that holds nothing but certificates and tokens, as most do.
 *
 * Guarantees: undefined for a file that has more to it, is not there or makes no sense: whoever asks then uses the full loader, which also has the
 * words for what is wrong. Never a half-read file.
 */
export async function readPlainKubeconfig(file: string, context?: string): Promise<Credentials | undefined> {
  try {
    return await read(file, context);
  } catch {
    return undefined;
  }
}

async function read(file: string, wanted: string | undefined): Promise<Credentials | undefined> {
  const config = await parsed(await readFile(file, 'utf8'));
  const context = named(config.contexts, wanted ?? config['current-context'])?.context;
  const cluster = named(config.clusters, context?.cluster)?.cluster;
  const user = named(config.users, context?.user)?.user;
  if (cluster === undefined || user === undefined) return undefined;
  const isPlain = hasOnly(cluster, clusterFields) && hasOnly(user, userFields);
  if (!isPlain || typeof cluster.server !== 'string') return undefined;

  /** Text given in place wins over a file, as kubectl has it. */
  const text = async (entry: Readonly<Record<string, unknown>>, field: string): Promise<string | undefined> => {
    const inPlace = entry[`${field}-data`];
    if (typeof inPlace === 'string') return Buffer.from(inPlace, 'base64').toString('utf8');
    const path = entry[field];
    return typeof path === 'string' ? await readFile(resolve(dirname(file), path), 'utf8') : undefined;
  };
  const [ca, cert, key] = await Promise.all([
    text(cluster, 'certificate-authority'),
    text(user, 'client-certificate'),
    text(user, 'client-key'),
  ]);
  return {
    server: cluster.server,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(typeof user.token === 'string' ? { token: user.token } : {}),
    ...(typeof cluster['tls-server-name'] === 'string' ? { tlsServerName: cluster['tls-server-name'] } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
    ...(typeof cluster['proxy-url'] === 'string' ? { proxyUrl: cluster['proxy-url'] } : {}),
    ...(typeof user.as === 'string' ? { impersonate: { user: user.as } } : {}),
  };
}

/** The reader of YAML is large, and a program in a pod never needs it: nor does a file that is JSON. */
async function parsed(text: string): Promise<KubeconfigFile> {
  if (text.startsWith('{')) return JSON.parse(text) as KubeconfigFile;
  const { parse } = await import('yaml');
  return parse(text) as KubeconfigFile;
}

function named<T extends Named>(entries: readonly T[] | undefined, name: string | undefined): T | undefined {
  return entries?.find((entry) => entry.name === name);
}

function hasOnly(entry: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): boolean {
  return Object.keys(entry).every((field) => known.has(field));
}
