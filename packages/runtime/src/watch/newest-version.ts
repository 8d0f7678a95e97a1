import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { WatchProtocolError } from './failure.ts';
import type { ListPagesRequest } from './list-pages.ts';

/** The version the server is at now, by the smallest list there is. Asks for the newest state, so a server that lags behind does not answer for it. */
export async function newestVersion(
  api: ApiTransport,
  { path, query, accept, signal }: Pick<ListPagesRequest<KubeObject>, 'path' | 'query' | 'accept' | 'signal'>,
): Promise<string> {
  const list = await api.request<Partial<KubeList<KubeObject>>>({
    method: 'GET',
    path,
    query: { ...query, limit: 1 },
    signal,
    withoutManagedFields: true,
    ...(accept === undefined ? {} : { accept }),
  });
  const version = list.metadata?.resourceVersion;
  if (version === undefined) throw new WatchProtocolError(`GET ${path}: the answer is no list with a resource version`);
  return version;
}
