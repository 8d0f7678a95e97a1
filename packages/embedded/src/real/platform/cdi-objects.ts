import { createHash } from 'node:crypto';
import type { KubeObject } from '@terrain/runtime';

export const cdiNamespace = 'cdi';
/** CDI's two Deployments that run all the time; its operator and its proxy for uploads are left out. */
export const cdiDeployments = ['cdi-apiserver', 'cdi-deployment'] as const;

interface Container {
  readonly readinessProbe?: { readonly exec?: object };
}

interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: object }[];
}

export interface CdiObjects {
  /** Rights, Services and Deployments. */
  readonly installed: readonly KubeObject[];
  /** For when the Deployments work: until then every DataVolume would be refused. */
  readonly webhooks: readonly KubeObject[];
}

/** What of the objects that upstream's code prints is installed here, and how. Pure. */
export function cdiObjects(printed: readonly KubeObject[], webhookAuthority: string): CdiObjects {
  const objects = printed.filter(({ kind }) => kind !== 'APIService').map(withoutServerFields);
  const isWebhook = ({ kind }: KubeObject): boolean => kind.endsWith('WebhookConfiguration');
  return {
    installed: objects
      .filter((object) => !isWebhook(object))
      .map((object) => (object.kind === 'Deployment' ? lean(object as Deployment, webhookAuthority) : object)),
    webhooks: objects.filter(isWebhook).map((object) => trusting(object as WebhookConfiguration, webhookAuthority)),
  };
}

/** Go prints fields that only the server may set. */
function withoutServerFields(object: KubeObject): KubeObject {
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { creationTimestamp: __, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}

/** Ready when it answers, so that its image needs no program to look for a file; restarted when its certificate is another. */
function lean(deployment: Deployment, webhookAuthority: string): KubeObject {
  const { template } = deployment.spec;
  const digest = createHash('sha256').update(webhookAuthority).digest('hex').slice(0, 16);
  const containers = template.spec.containers.map((container) => ({
    ...container,
    readinessProbe: {
      httpGet: { scheme: 'HTTPS', port: 8443, path: container.readinessProbe?.exec === undefined ? '/healthz' : '/metrics' },
      periodSeconds: 2,
    },
  }));
  const annotations = { ...template.metadata?.annotations, 'embedded.terrain.dev/certificate': digest };
  const { creationTimestamp: _, ...metadata } = (template.metadata ?? {}) as Record<string, unknown>;
  const leanTemplate = { metadata: { ...metadata, annotations }, spec: { ...template.spec, containers } };
  return { ...deployment, spec: { ...deployment.spec, template: leanTemplate } } as KubeObject;
}

function trusting(configuration: WebhookConfiguration, authority: string): KubeObject {
  const caBundle = Buffer.from(authority).toString('base64');
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle },
  }));
  return { ...configuration, webhooks } as KubeObject;
}

/** CDI's settings. */
export function cdiSettings(insecureRegistries: readonly string[] = []): KubeObject {
  const settings = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDI',
    // The annotation makes CDI take its settings from here.
    metadata: { name: 'cdi', annotations: { 'cdi.kubevirt.io/configAuthority': '' } },
    spec: { config: { featureGates: ['HonorWaitForFirstConsumer'], insecureRegistries }, imagePullPolicy: 'Never' },
  };
  return settings;
}

/** How CDI is to ask for volumes of a class whose driver it does not know. */
export function storageProfile(name: string): KubeObject {
  const profile = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name },
    spec: { claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }] },
  };
  return profile;
}
