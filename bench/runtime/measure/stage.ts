import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { type Connection, type KubeObject, Resource, resourcePath } from '@terrain/runtime';
import type { Settings } from '../contender/settings.ts';
import { cleanupFinalizer, configMaps, newWidget, type Widget, widgetDefinition, widgets } from '../widget.ts';
import { Referee } from './referee.ts';

/** The same for all contenders; enough to keep an API server on two cores busy. */
const workers = 8;
const creators = 16;

/** A fresh cluster that knows widgets. Each contender gets its own, so that none works against what others left behind. */
export class Stage implements AsyncDisposable {
  readonly signal: AbortSignal;
  readonly #cluster: TestCluster;
  readonly #credentialsFile: string;

  private constructor(cluster: TestCluster, signal: AbortSignal) {
    this.#cluster = cluster;
    this.signal = signal;
    this.#credentialsFile = join(cluster.directory, 'credentials.json');
    writeFileSync(this.#credentialsFile, JSON.stringify(cluster.credentials), { mode: 0o600 });
  }

  static async open(signal: AbortSignal): Promise<Stage> {
    const stage = new Stage(await newTestCluster(), signal);
    const { api } = stage;
    await api.request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: widgetDefinition,
    });
    const isServed = (): Promise<boolean> =>
      api.request({ method: 'GET', path: resourcePath(widgets) }).then(
        () => true,
        () => false,
      );
    while (!(await isServed())) await delay(50, undefined, { signal });
    return stage;
  }

  get api(): Connection {
    return this.#cluster.connection();
  }

  /** A namespace of its own. */
  async scene(): Promise<Scene> {
    return new Scene(this, await this.#cluster.namespace('bench'));
  }

  settings(namespace: string, expect: number, lease?: string): Settings {
    return {
      namespace,
      workers,
      expect,
      kubeconfig: this.#cluster.kubeconfig,
      credentialsFile: this.#credentialsFile,
      ...(lease === undefined ? {} : { lease }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.stop();
  }
}

/** A namespace with widgets. */
export class Scene {
  readonly stage: Stage;
  readonly namespace: string;
  readonly #widgets: Resource<Widget>;
  #count = 0;

  constructor(stage: Stage, namespace: string) {
    this.stage = stage;
    this.namespace = namespace;
    this.#widgets = new Resource<Widget>(stage.api, widgets);
  }

  /** How many widgets were created so far. */
  get count(): number {
    return this.#count;
  }

  /** Creates widgets until there are so many. With a finalizer, a deleted one stays until a contender has cleaned up after it. */
  async fill(count: number, options: { readonly finalizer?: boolean } = {}): Promise<void> {
    const create = async (): Promise<void> => {
      while (this.#count < count) {
        this.stage.signal.throwIfAborted();
        const number = this.#count++;
        const widget = newWidget(this.namespace, `widget-${String(number).padStart(6, '0')}`, number);
        const finalizers = options.finalizer === true ? { finalizers: [cleanupFinalizer] } : {};
        await this.#widgets.create({ ...widget, metadata: { ...widget.metadata, ...finalizers } });
      }
    };
    await Promise.all(Array.from({ length: creators }, create));
  }

  async delete(name: string): Promise<void> {
    await this.#widgets.delete({ namespace: this.namespace, name });
  }

  referee(): Promise<Referee> {
    return Referee.watch(this.stage.api, this.namespace, this.stage.signal);
  }

  settings(expect: number, lease?: string): Settings {
    return this.stage.settings(this.namespace, expect, lease);
  }

  /** The JSON of a widget and its ConfigMap together, as the server sends them and as they are without managedFields. */
  async bytesPerObject(): Promise<{ sent: number; kept: number }> {
    let [sent, kept] = [0, 0];
    for (const type of [widgets, configMaps]) {
      const path = resourcePath(type, { namespace: this.namespace });
      const { items } = await this.stage.api.request<{ items: KubeObject[] }>({ method: 'GET', path, query: { limit: 500 } });
      const bytes = (objects: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(objects)) / objects.length;
      sent += bytes(items);
      kept += bytes(items.map((item) => ({ ...item, metadata: { ...item.metadata, managedFields: undefined } })));
    }
    return { sent, kept };
  }
}
