export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const writes: ReadonlySet<Verb> = new Set<Verb>(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** A request to an API server in the words of the API: who is asked to do what with which object. */
export interface ApiCall {
  readonly verb: Verb;
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in paths. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
}

/** Whether the call means to change something; a dry run counts, since it takes the same path. */
export const isWrite = (call: Pick<ApiCall, 'verb'>): boolean => writes.has(call.verb);

/** Undefined for paths that name no resource: health, discovery, unknown roots. */
export function parseApiCall(method: string, url: string): ApiCall | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://api');
  const segments = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return undefined;
  const [group, version, ...rest] = isCore ? ['', ...segments.slice(1)] : segments.slice(1);
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const target = parseTarget(rest);
  const verb = verbOf(method, target.name, query);
  return verb === undefined ? undefined : { verb, group, version, ...target, query };
}

function parseTarget(segments: readonly string[]): Pick<ApiCall, 'resource' | 'namespace' | 'name' | 'subresource'> {
  // `namespaces/x` is an object, `namespaces/x/status` its subresource, but `namespaces/x/pods` is a collection inside it.
  const isInNamespace =
    segments[0] === 'namespaces' && segments.length > 2 && !['status', 'finalize'].includes(segments[2] ?? '');
  const [resource = '', name, subresource] = isInNamespace ? segments.slice(2) : segments;
  return {
    resource,
    ...(isInNamespace ? { namespace: segments[1]! } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case 'GET':
      if (isTrue(query.get('watch'))) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** How the API server reads a boolean in a query. */
export const isTrue = (value: string | null): boolean => value === 'true' || value === '1';
