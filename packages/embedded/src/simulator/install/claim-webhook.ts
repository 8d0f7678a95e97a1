import { randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import { applyManifests, type Connection, type KubeObject, Resource } from '@terrain/runtime';
import { Authority } from '#certificate/authority.ts';
import { kinds } from '../kinds.ts';
import { listenLocally, localAddress } from '../local-server.ts';
import { managerName, notes, simulatedLabels } from '../marks.ts';
import { judgeClaim, probeRefusal, type ReviewRequest, reviewAnswer } from './claim-review.ts';
import { inForce } from './in-force.ts';

const name = 'datavolume-claim.simulated.terrain.dev';

/**
 * Refuses a DataVolume whose claim is there already and not of CDI, by a webhook that reads the claim live, as CDI's does. A policy could only look
 * through all claims of the namespace, at every DataVolume.
 *
 * Guarantees: in force when this resolves. Who stops it, or dies, stops nobody from creating DataVolumes.
 * Assumptions: the API server runs on this machine.
 */
export async function serveClaimWebhook(
  connection: Connection,
  { signal, onTrouble }: { readonly signal: AbortSignal; readonly onTrouble: (sentence: string) => void },
): Promise<AsyncDisposable> {
  const authority = Authority.create(managerName, new Date());
  const { cert, key } = authority.issue({ commonName: managerName }, { usage: 'server', names: [localAddress] }, new Date());
  const claims = new Resource<KubeObject>(connection, kinds.PersistentVolumeClaim);
  const tellUnlessStopped = (sentence: string): void => {
    if (!signal.aborted) onTrouble(sentence);
  };
  const probe = `the simulator ${randomUUID()} answers`;
  const refusalOf = async (asked: ReviewRequest): Promise<string | undefined> =>
    probeRefusal(asked.object, probe) ?? judgeClaim(asked, (at) => claims.find(at, { signal }), tellUnlessStopped);
  const server = createServer({ cert, key }, (request, response) => {
    const answer = async (): Promise<void> => {
      const { request: asked } = (await json(request)) as { request: ReviewRequest };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(reviewAnswer(asked.uid, await refusalOf(asked))));
    };
    // Whoever asks like this is not the API server.
    answer().catch(() => response.destroy());
  });
  const { port, close } = await listenLocally(server);
  try {
    const manifest = webhookManifest(port, authority.pair.cert);
    await applyManifests(connection, [manifest], { fieldManager: managerName, signal });
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
    clientConfig: { url: `https://${localAddress}:${port}/`, caBundle: Buffer.from(certificate).toString('base64') },
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
