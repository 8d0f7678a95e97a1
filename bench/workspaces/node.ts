import { type Connection, Informers, isNotFound, type KubeObject, Resource, systemClock } from '@terrain/runtime';
import { pods } from './kinds.ts';

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** In the place of a node: pods of labs run as soon as they are made. The floor and the operator have the same one. */
export class Node implements AsyncDisposable {
  readonly #informers: Informers;
  #failure: Error | undefined;

  private constructor(api: Connection) {
    this.#informers = new Informers({ api, clock: systemClock, freeze: false });
    const resource = new Resource<Pod>(api, pods);
    this.#informers.get<Pod>(pods).onChange((change) => {
      if (change.type === 'deleted') return;
      const { metadata, status } = change.new;
      const { name = '', namespace = '', deletionTimestamp } = metadata;
      const isNew = status?.phase === undefined || status.phase === 'Pending';
      if (!namespace.startsWith('workspace-') || !isNew || deletionTimestamp !== undefined) return;
      resource.mergePatch({ name, namespace, subresource: 'status' }, { status: ready }).catch((error: unknown) => {
        if (!isNotFound(error)) this.#failure = error as Error;
      });
    });
  }

  static async start(api: Connection): Promise<Node> {
    const node = new Node(api);
    node.#informers.start();
    await node.#informers.synced();
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.close();
    if (this.#failure !== undefined) throw this.#failure;
  }
}
