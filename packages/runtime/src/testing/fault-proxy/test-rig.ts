import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { ApiFake } from '../api-fake/api-fake.ts';
import { FaultProxy, type FaultProxyOptions } from './fault-proxy.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
export const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const path = '/api/v1/namespaces/default/configmaps';

export interface SeenEvent {
  readonly type: string;
  readonly object: ConfigMap & { readonly code?: number };
}

/** A fake server, a proxy before it, and a client of each, for tests of the proxy. */
export class ProxyRig {
  readonly fake: ApiFake;
  readonly proxy: FaultProxy;
  /** Through the proxy. */
  readonly connection: Connection;
  readonly maps: Resource<ConfigMap>;

  private constructor(fake: ApiFake, proxy: FaultProxy) {
    this.fake = fake;
    this.proxy = proxy;
    this.connection = new Connection(proxy.credentials, { timeoutMs: 5000 });
    this.maps = new Resource(this.connection, configMapType);
  }

  static async start(options: Omit<FaultProxyOptions, 'upstream'> = {}): Promise<ProxyRig> {
    const fake = await ApiFake.start();
    return new ProxyRig(fake, await FaultProxy.start({ upstream: fake.credentials, ...options }));
  }

  /** Names of the objects that really exist. */
  get names(): (string | undefined)[] {
    return this.fake.objects(configMapType).map(({ metadata }) => metadata.name);
  }

  /** Opens a watch through the proxy; the caller reads events one by one. */
  watch(query: Record<string, string | boolean> = {}): AsyncGenerator<SeenEvent> {
    const stream = this.connection.stream({ method: 'GET', path, query: { watch: true, ...query } });
    return (async function* () {
      for await (const line of stream) yield JSON.parse(line) as SeenEvent;
    })();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    await this.proxy.close();
    await this.fake.close();
  }
}

/** The next `count` events in a few words: `ADDED a`. */
export async function take(events: AsyncGenerator<SeenEvent>, count: number): Promise<string[]> {
  const words: string[] = [];
  while (words.length < count) {
    const { value, done } = await events.next();
    if (done === true) return [...words, 'end'];
    words.push(`${value.type} ${value.object.metadata.name ?? value.object.code}`);
  }
  return words;
}
