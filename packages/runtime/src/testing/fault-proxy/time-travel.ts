import type { ApiCall } from '../api-call.ts';
import { isTrue } from '../api-call.ts';
import type { Upstream, UpstreamRequest, WholeReply } from './upstream.ts';

interface ListBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: object }[];
}

/**
 * Answers reads as they would have been answered at an earlier resource version, as a stale API server does: writes go to the present.
 *
 * Assumptions: the upstream still has that version (it is asked for it with `resourceVersionMatch=Exact`); once compacted it answers 410.
 */
export async function readInThePast(
  upstream: Upstream,
  request: UpstreamRequest,
  call: ApiCall,
  version: string,
): Promise<WholeReply> {
  // Later pages carry their version in the token.
  if (call.verb === 'list' && call.query.has('continue')) return upstream.exchange(request);
  if (call.verb === 'list') return upstream.exchange({ ...request, url: listUrl(request.url, version) });
  const reply = await upstream.exchange({ ...request, url: listUrl(collectionUrl(request.url), version, call.name) });
  if (reply.code !== 200) return reply;
  const list = JSON.parse(reply.body.toString('utf8')) as ListBody;
  const [item] = list.items;
  if (item !== undefined) return { ...reply, body: Buffer.from(JSON.stringify(asObject(list, item))) };
  const { resource, group, name } = call;
  const message = `${resource}${group === '' ? '' : `.${group}`} "${name}" not found`;
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'NotFound', code: 404 };
  return { ...reply, code: 404, body: Buffer.from(JSON.stringify(status)) };
}

/** How a watch is opened in the past: what it is sent first, and the request that continues from there. */
export async function watchInThePast(
  upstream: Upstream,
  request: UpstreamRequest,
  call: ApiCall,
  version: string,
): Promise<{ first: string[]; url: string }> {
  const given = call.query.get('resourceVersion') ?? '';
  const streamsList = isTrue(call.query.get('sendInitialEvents'));
  if (given !== '' && given !== '0' && !streamsList) return { first: [], url: request.url };
  const url = new URL(request.url, 'http://api');
  for (const name of ['watch', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds']) url.searchParams.delete(name);
  const reply = await upstream.exchange({ ...request, url: listUrl(url.pathname + url.search, version) });
  const list = JSON.parse(reply.body.toString('utf8')) as ListBody;
  if (reply.code !== 200)
    throw new Error(`the server behind the proxy has no state at version ${version}: ${reply.body.toString('utf8')}`);
  const first = list.items.map((item) => JSON.stringify({ type: 'ADDED', object: asObject(list, item) }));
  const { kind, apiVersion } = asObject(list, { metadata: {} });
  const metadata = { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } };
  if (streamsList) first.push(JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } }));
  const onwards = new URL(request.url, 'http://api');
  for (const name of ['sendInitialEvents', 'resourceVersionMatch']) onwards.searchParams.delete(name);
  onwards.searchParams.set('resourceVersion', version);
  return { first, url: onwards.pathname + onwards.search };
}

function listUrl(from: string, version: string, name?: string): string {
  const url = new URL(from, 'http://api');
  url.searchParams.set('resourceVersion', version);
  url.searchParams.set('resourceVersionMatch', 'Exact');
  if (name !== undefined) url.searchParams.set('fieldSelector', `metadata.name=${name}`);
  return url.pathname + url.search;
}

const collectionUrl = (from: string): string => {
  const url = new URL(from, 'http://api');
  return url.pathname.replace(/\/[^/]+$/, '');
};

/** Items of built-in lists do not repeat their kind. */
function asObject(list: ListBody, item: object): { kind: string; apiVersion: string } {
  return { kind: list.kind.replace(/List$/, ''), apiVersion: list.apiVersion, ...item };
}
