import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { applyManifests, type Connection, type KubeObject, Resource } from '@terrain/runtime';
import { Authority } from '#certificate/authority.ts';
import { kinds } from '../kinds.ts';
import { managerName, notes, simulatedLabels } from '../marks.ts';
import { claimRefusal, probeRefusal, type ReviewRequest, reviewAnswer } from './claim-review.ts';
import { inForce } from './in-force.ts';

const name = 'datavolume-claim.simulated.terrain.dev';
const address = '127.0.0.1';

/**
 * Refuses a DataVolume whose claim is there already and not of CDI, by a webhook that reads the claim live, as CDI's does. A policy could only look
 * through all claims of the namespace, at every DataVolume.
 *
 * Guarantees: in force when this resolves. Who stops it, or dies, stops nobody from creating DataVolumes.
 * Assumptions: the API server runs on this machine.
 */
export async function serveClaimWebhook(connection: Connection, signal?: AbortSignal): Promise<AsyncDisposable> {
  const authority = Authority.create(managerName, new Date());
  const { cert, key } = authority.issue({ commonName: managerName }, { usage: 'server', names: [address] }, new Date());
  const claims = new Resource<KubeObject>(connection, kinds.PersistentVolumeClaim);
  const probe = `the simulator ${randomUUID()} answers`;
  const refusalOf = async ({ namespace, object }: ReviewRequest): Promise<string | undefined> => {
    const dataVolume = object as KubeObject;
    const told = probeRefusal(dataVolume, probe);
    const { name: wanted } = dataVolume.metadata;
    if (told !== undefined || wanted === undefined) return told;
    return claimRefusal(dataVolume, await claims.find({ name: wanted, namespace }));
  };
  const server = createServer({ cert, key }, (request, response) => {
    const answer = async (): Promise<void> => {
      const { request: asked } = (await json(request)) as { request: ReviewRequest };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(reviewAnswer(asked.uid, await refusalOf(asked))));
    };
    // Without an answer the API server goes on as if nobody had been asked.
    answer().catch(() => response.destroy());
  });
  await listening(server);
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  try {
    const manifest = webhookManifest((server.address() as AddressInfo).port, authority.pair.cert);
    await applyManifests(connection, [manifest], { fieldManager: managerName, ...(signal === undefined ? {} : { signal }) });
    const spec = { source: { blank: {} }, storage: { resources: { requests: { storage: '1Mi' } } } };
    await inForce(connection, { kind: 'DataVolume', annotations: { [notes.probe]: probe }, spec, words: probe }, signal);
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

function webhookManifest(port: number, certificate: string): KubeObject {
  const { group, version, plural } = kinds.DataVolume;
  const webhook = {
    name,
    clientConfig: { url: `https://${address}:${port}/`, caBundle: Buffer.from(certificate).toString('base64') },
    rules: [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE'], resources: [plural] }],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name, labels: simulatedLabels },
    webhooks: [webhook],
  } as KubeObject;
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
}
