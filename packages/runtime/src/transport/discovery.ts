import { isNotFound } from './api-error.ts';
import type { ApiTransport } from './api-transport.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource.ts';

interface ApiResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/**
 * Finds the path of a kind by asking the server, for callers that hold manifests of any kind.
 *
 * Guarantees: a kind once found is not asked for again; one that was missing is asked for each time, since a CRD may arrive later.
 */
export class Discovery {
  readonly #connection: ApiTransport;
  readonly #types = new Map<string, ResourceType>();

  constructor(connection: ApiTransport) {
    this.#connection = connection;
  }

  /** Undefined when the server does not serve this kind (yet). */
  async find(object: Pick<KubeObject, 'apiVersion' | 'kind'>): Promise<ResourceType | undefined> {
    const key = `${object.apiVersion}/${object.kind}`;
    if (!this.#types.has(key)) await this.#load(object.apiVersion);
    return this.#types.get(key);
  }

  async #load(apiVersion: string): Promise<void> {
    const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
    let list: ApiResourceList;
    try {
      list = await this.#connection.request<ApiResourceList>({ method: 'GET', path });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    for (const { name, kind, namespaced } of list.resources) {
      // Subresources (`pods/log`) share the list; some of them even share the kind.
      if (!name.includes('/')) this.#types.set(`${apiVersion}/${kind}`, { group, version, plural: name, namespaced });
    }
  }
}
