/**
 * The floor: for each image of a namespace one POST of a DataVolume, one of a snapshot, one PATCH of the status, on bare undici. Nothing is
 * compared, retried, ordered or counted.
 *
 * `blind` sends the three one after the other. `following` waits for the claim before it cuts and for the snapshot before it says so, as anything
 * that is to be right must, with as many images under way as there would be slots.
 */
import { readFileSync } from 'node:fs';
import { Agent } from 'undici';
import { fromEnvironment } from './settings.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly url?: string };
  readonly status?: { readonly phase?: string; readonly readyToUse?: boolean };
}

const { namespace, credentialsFile, mode, parallel, slots } = fromEnvironment(process.env);
const { server, ca, cert, key } = JSON.parse(readFileSync(credentialsFile, 'utf8')) as Record<string, string>;
const tls = { connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }, allowH2: false };
const requests = new Agent({ ...tls, connections: parallel });
const streams = new Agent({ ...tls, bodyTimeout: 0 });
const paths = {
  images: `/apis/pelotech.ot/v1alpha1/namespaces/${namespace}/vmdiskimages`,
  dataVolumes: `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes`,
  claims: `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  snapshots: `/apis/snapshot.storage.k8s.io/v1/namespaces/${namespace}/volumesnapshots`,
};

async function send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { accept: 'application/json', ...(body && { 'content-type': contentType }) };
  const answer = await requests.request({ origin: server!, method, path, headers, body: body ? JSON.stringify(body) : null });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
}

/** Lets somebody wait for an object to be in some state. */
class Waiters {
  readonly #reached = new Map<string, PromiseWithResolvers<void>>();

  of(name: string): PromiseWithResolvers<void> {
    const known = this.#reached.get(name) ?? Promise.withResolvers<void>();
    this.#reached.set(name, known);
    return known;
  }
}

async function follow(path: string, waiters: Waiters, isReached: (object: Named) => boolean): Promise<void> {
  const { metadata } = await send<{ metadata: { resourceVersion: string } }>('GET', `${path}?limit=1`);
  const query = `watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=3600`;
  const { body } = await streams.request({ origin: server!, method: 'GET', path: `${path}?${query}` });
  void (async () => {
    let rest = '';
    for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { object } = JSON.parse(line) as { object: Named };
        if (isReached(object)) waiters.of(object.metadata.name).resolve();
      }
    }
  })();
}

async function serve({ metadata: { name }, spec }: Named, claims?: Waiters, snapshots?: Waiters): Promise<void> {
  const common = { namespace, labels: { 'bench.terrain.dev/image': name } };
  await send('POST', paths.dataVolumes, {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { ...common, name, annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
    spec: { source: { http: { url: spec?.url } }, storage: { resources: { requests: { storage: '1Gi' } } } },
  });
  await claims?.of(name).promise;
  await send('POST', paths.snapshots, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { ...common, name },
    spec: { source: { persistentVolumeClaimName: name } },
  });
  await snapshots?.of(name).promise;
  const now = new Date().toISOString();
  const condition = (type: string) => ({ type, status: 'True', reason: 'Succeeded', message: 'fine', lastTransitionTime: now });
  const conditions = ['Ready', 'Imported', 'Snapshotted', 'Reconciling', 'Stalled'].map(condition);
  const artifact = { volumeSnapshot: name, dataVolume: name, sourceHash: '0123456789abcdef', syncedAt: now };
  await send('PATCH', `${paths.images}/${name}/status`, {
    status: { phase: 'Succeeded', message: 'machines can clone it', progress: '100%', queuedAt: now, conditions, artifact },
  });
}

const { items } = await send<{ items: Named[] }>('GET', paths.images);
const isFollowing = mode === 'following';
const [claims, snapshots] = isFollowing ? [new Waiters(), new Waiters()] : [];
if (claims !== undefined) await follow(paths.claims, claims, ({ status }) => status?.phase === 'Bound');
if (snapshots !== undefined) await follow(paths.snapshots, snapshots, ({ status }) => status?.readyToUse === true);
const [startedAt, before] = [performance.now(), process.cpuUsage()];
const queue = items.values();
const worker = async (): Promise<void> => {
  for (const image of queue) await serve(image, claims, snapshots);
};
await Promise.all(Array.from({ length: isFollowing ? slots : parallel }, worker));
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(before);
console.log(`floor ${JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6 })}`);
process.exit(0);
