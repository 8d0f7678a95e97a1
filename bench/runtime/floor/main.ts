/**
 * The floor: the requests that no controller can do without, on bare undici. Lists and watches both kinds, parses every object, keeps the newest;
 * per widget one POST and one PATCH with the bytes @terrain/runtime sends. Nothing is compared, retried or repaired.
 */
import { Agent } from 'undici';
import { Report } from '../contender/report.ts';
import { fromEnvironment, readCredentials } from '../contender/settings.ts';
import { type ConfigMap, desiredConfigMap, desiredStatus, isServed, type Widget } from '../widget.ts';

interface Event {
  readonly type: string;
  readonly object: Widget | ConfigMap;
}

const settings = fromEnvironment(process.env);
const { server, ca, cert, key } = readCredentials(settings);
const report = new Report(settings.expect);
const tls = { connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }, allowH2: false };
const requests = new Agent({ ...tls, connections: settings.workers });
const streams = new Agent({ ...tls, bodyTimeout: 0 });

const widgetsPath = `/apis/bench.terrain.dev/v1/namespaces/${settings.namespace}/widgets`;
const configMapsPath = `/api/v1/namespaces/${settings.namespace}/configmaps`;
const known = new Map<string, Widget | ConfigMap>();

async function send<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, contentType?: string): Promise<T> {
  const headers = { accept: 'application/json', ...(body && { 'content-type': contentType ?? 'application/json' }) };
  const answer = await requests.request({ origin: server, method, path, headers, body: body ? JSON.stringify(body) : null });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
}

async function list<T extends Widget | ConfigMap>(path: string): Promise<{ items: T[]; version: string }> {
  const items: T[] = [];
  let version = '';
  let next = '';
  do {
    const page = await send<{ items: T[]; metadata: { resourceVersion: string; continue?: string } }>(
      'GET',
      `${path}?limit=500${next && `&continue=${next}`}`,
    );
    for (const item of page.items) {
      items.push(item);
      known.set(`${path}/${item.metadata.name}`, item);
    }
    version ||= page.metadata.resourceVersion;
    next = page.metadata.continue ?? '';
  } while (next !== '');
  return { items, version };
}

async function watch(path: string, version: string): Promise<void> {
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=3600`;
  const { body } = await streams.request({ origin: server, method: 'GET', path: `${path}?${query}` });
  let rest = '';
  for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { object } = JSON.parse(line) as Event;
      known.set(`${path}/${object.metadata.name}`, object);
    }
  }
}

async function serve(widget: Widget): Promise<void> {
  const { apiVersion, kind, metadata } = widget;
  const { name, namespace, uid, resourceVersion } = metadata;
  const child = desiredConfigMap(widget);
  const annotations = { 'runtime.terrain.dev/applied': 'created:01234567890123456789' };
  await send('POST', `${configMapsPath}?fieldManager=bench-floor`, { ...child, metadata: { ...child.metadata, annotations } });
  await send(
    'PATCH',
    `${widgetsPath}/${name}/status?fieldManager=bench-floor&force=true`,
    { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, status: desiredStatus(widget) },
    'application/apply-patch+yaml',
  );
}

const [owners, children] = await Promise.all([list<Widget>(widgetsPath), list<ConfigMap>(configMapsPath)]);
void watch(widgetsPath, owners.version);
void watch(configMapsPath, children.version);
report.synced();
const queue = owners.items.values();
const worker = async (): Promise<void> => {
  for (const widget of queue) {
    if (!isServed(widget)) await serve(widget);
    report.passed(widget.metadata.name ?? '');
  }
};
await Promise.all(Array.from({ length: settings.workers }, worker));
