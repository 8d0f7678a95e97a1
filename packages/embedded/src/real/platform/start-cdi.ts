import { X509Certificate } from 'node:crypto';
import {
  applyManifests,
  type Connection,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  Resource,
  type ResourceType,
  waitForObject,
} from '@terrain/runtime';
import type { Binaries } from '#binary/ensure.ts';
import { runCommand } from '#csi/command.ts';
import { until } from '#process/until.ts';
import { type CdiCertificates, cdiCertificates, signingKey } from './cdi-certificates.ts';
import { cdiImageName } from './cdi-images.ts';
import { cdiDeployments, cdiNamespace, cdiObjects, cdiSettings, storageProfile } from './cdi-objects.ts';

export interface CdiOptions {
  /** With the programs of the group `cdi`. */
  readonly binaries: Binaries;
  /** Classes of storage that images may be imported to; they exist. */
  readonly storageClasses: readonly string[];
  /** Registries that speak plain HTTP, as `host:port`. */
  readonly insecureRegistries?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

interface Deployment extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

interface Configuration extends KubeObject {
  readonly status?: { readonly filesystemOverhead?: { readonly global?: string } };
}

interface Profile extends KubeObject {
  readonly status?: { readonly claimPropertySets?: readonly object[] };
}

const secrets: ResourceType = { group: '', version: 'v1', plural: 'secrets', namespaced: true };
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true };
const configurations: ResourceType = { group: 'cdi.kubevirt.io', version: 'v1beta1', plural: 'cdiconfigs', namespaced: false };
const storageProfiles: ResourceType = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'storageprofiles',
  namespaced: false,
};
const fieldManager = 'terrain-embedded';
const monthMs = 30 * 24 * 3_600_000;

/**
 * Runs CDI on a cluster: its controller and its webhooks, with the rights that upstream gives them and no others.
 *
 * Guarantees: returns when DataVolumes are judged and imported.
 * Assumptions: CDI's definitions are installed, a node runs pods, and it has the images of `ensureCdiImages`.
 */
export async function startCdi(connection: Connection, options: CdiOptions): Promise<void> {
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const apply = (objects: readonly KubeObject[]) => applyManifests(connection, objects, { fieldManager, ...signal });
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cdiNamespace } };
  await apply([namespace]);

  const certificates = (await keptCertificates(connection)) ?? cdiCertificates(cdiNamespace);
  const { installed, webhooks } = cdiObjects(await printedObjects(options.binaries), certificates.webhookAuthority);
  await createIfMissing(connection, secrets, signingKey(cdiNamespace));
  await apply([...certificates.objects, cdiSettings(options.insecureRegistries), ...installed]);

  const timeoutMs = options.timeoutMs ?? 180_000;
  await Promise.all([
    ...cdiDeployments.map((name) =>
      waitForObject<Deployment>(connection, deployments, { name, namespace: cdiNamespace }, unavailability, {
        timeoutMs,
        ...signal,
      }),
    ),
    waitForObject<Configuration>(connection, configurations, { name: 'config' }, unconfigured, { timeoutMs, ...signal }),
  ]);
  await Promise.all(options.storageClasses.map((name) => ensureProfile(connection, name, { timeoutMs, ...signal })));
  await apply(webhooks);
}

/**
 * Until CDI has taken it up: a profile of a class that it has not heard of yet is one that it deletes, and makes again with nothing in it.
 */
async function ensureProfile(
  connection: Connection,
  name: string,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<void> {
  const profiles = new Resource<Profile>(connection, storageProfiles);
  const ask = async (): Promise<true | undefined> => {
    const found = await profiles.apply(storageProfile(name) as Profile, { fieldManager, force: true });
    return (found.status?.claimPropertySets?.length ?? 0) > 0 ? true : undefined;
  };
  await until(`CDI's profile of storage class ${name}`, ask, { ...options, everyMs: 300 });
}

/** From upstream's own code, with our images in it. */
async function printedObjects(binaries: Binaries): Promise<readonly KubeObject[]> {
  const images = (['controller', 'apiserver', 'importer', 'cloner', 'uploadserver'] as const).map(cdiImageName);
  return JSON.parse(await runCommand(binaries.path('cdi-manifests'), [cdiNamespace, ...images])) as KubeObject[];
}

/** Those of an earlier start, unless they end soon: running pods hold them, and would be restarted for new ones. */
async function keptCertificates(connection: Connection): Promise<CdiCertificates | undefined> {
  const read = async (type: ResourceType, name: string) =>
    (
      await new Resource<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(connection, type).get({
        name,
        namespace: cdiNamespace,
      })
    ).data;
  try {
    const server = await read(secrets, 'cdi-apiserver-server-cert');
    const bundle = await read(configMaps, 'cdi-apiserver-signer-bundle');
    const certificate = new X509Certificate(Buffer.from(server?.['tls.crt'] ?? '', 'base64'));
    const authority = bundle?.['ca-bundle.crt'] ?? '';
    const isGood =
      certificate.checkIssued(new X509Certificate(authority)) && Date.parse(certificate.validTo) > Date.now() + monthMs;
    return isGood ? { objects: [], webhookAuthority: authority } : undefined;
  } catch (error) {
    if (isNotFound(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

/** What OpenSSL says of something that is no certificate. */
function isUnreadable(error: unknown): boolean {
  return String((error as { readonly code?: unknown } | null)?.code).startsWith('ERR_OSSL');
}

async function createIfMissing(connection: Connection, type: ResourceType, object: KubeObject): Promise<void> {
  try {
    await new Resource(connection, type).create(object, { fieldManager });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function unavailability(deployment: Deployment | undefined): string | undefined {
  if (deployment === undefined) return 'is not there';
  const { status, metadata, spec } = deployment;
  const wanted = spec.replicas ?? 1;
  if (status?.observedGeneration !== metadata.generation) return 'was not looked at yet';
  // Pods of an earlier start count as available too, until they are gone.
  const [all, updated, available] = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  if (all === wanted && updated === wanted && available === wanted) return undefined;
  const words = status?.conditions?.map(({ message }) => message).join(' ');
  return `has ${available ?? 0} of ${wanted} pods ready: ${words ?? 'nothing said'}`;
}

function unconfigured(configuration: Configuration | undefined): string | undefined {
  return configuration?.status?.filesystemOverhead?.global === undefined ? 'has no settings yet' : undefined;
}
