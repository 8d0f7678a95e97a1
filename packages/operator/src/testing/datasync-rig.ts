/** The DataSync controller on an API server in this process; the test plays the part of the other controllers. */
import assert from 'node:assert/strict';
import { crdOf, type DataSync, type DataSyncVM, kinds, sourceHash, type VMDiskImage, type VMDiskImageStatus } from '@terrain/api';
import { aDataSync, aVirtualMachine, type Override } from '@terrain/api/testing';
import {
  Connection,
  type KubeObject,
  keyOf,
  Manager,
  Resource,
  type ResourceType,
  type Result,
  silentLogger,
  systemClock,
  Writer,
} from '@terrain/runtime';
import { ApiFake, type ApiFakeOptions } from '@terrain/runtime/testing';
import { addDataSyncController } from '#controllers/datasync/index.ts';
import { type DataSyncDeps, dataSyncType, imageType, reconcileDataSync } from '#controllers/datasync/reconcile.ts';
import { item } from './datasync-world.ts';

export const namespace = 'vmdi-farm';
export const eventType: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };

/** One test's world. */
export class Rig implements AsyncDisposable {
  readonly fake: ApiFake;
  readonly #connection: Connection;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  defaultDiskSize = '32Gi';

  private constructor(fake: ApiFake) {
    this.fake = fake;
    this.#connection = new Connection(fake.credentials, { userAgent: 'test' });
  }

  static async start(options: ApiFakeOptions = {}): Promise<Rig> {
    const fake = await ApiFake.start({ kinds: [{ type: eventType, kind: 'Event' }], ...options });
    for (const kind of kinds) fake.seed(crdOf(kind) as never);
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const rig = new Rig(fake);
    const manager = new Manager({ name: 'terrain', credentials: fake.credentials, log: silentLogger });
    addDataSyncController({
      manager,
      ready: Promise.resolve(),
      defaultDiskSize: () => rig.defaultDiskSize,
      serverNow: () => systemClock.now(),
    });
    rig.#running = manager.run(rig.#stop.signal);
    return rig;
  }

  resource<T extends KubeObject>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.#connection, type);
  }

  async create(vms: readonly DataSyncVM[], change: Override<DataSync> = {}): Promise<void> {
    await this.resource<DataSync>(dataSyncType).create(aDataSync({ ...change, spec: { vms: [...vms], ...change.spec } }));
  }

  async setItems(...vms: readonly DataSyncVM[]): Promise<void> {
    await this.resource(dataSyncType).mergePatch({ name: 'lab-7', namespace }, { spec: { vms } });
  }

  dataSync(name = 'lab-7'): DataSync | undefined {
    return (this.fake.objects(dataSyncType) as unknown as DataSync[]).find(({ metadata }) => metadata.name === name);
  }

  image(name: string): VMDiskImage | undefined {
    return (this.fake.objects(imageType) as unknown as VMDiskImage[]).find(({ metadata }) => metadata.name === name);
  }

  names(): string[] {
    return this.fake.objects(imageType).map(({ metadata }) => metadata.name ?? '');
  }

  /** As the image's controller would write it. */
  async say(name: string, status: VMDiskImageStatus): Promise<void> {
    const body = { status: { observedGeneration: this.image(name)?.metadata.generation, ...status } };
    await this.resource(imageType).mergePatch({ name, namespace, subresource: 'status' }, body);
  }

  async succeed(name: string): Promise<void> {
    const { spec } = this.image(name) ?? assert.fail(`there is no image ${name}`);
    const syncedAt = '2026-01-15T09:00:00Z';
    const artifact = { volumeSnapshot: 's', dataVolume: 'd', url: spec.url ?? '', sourceHash: sourceHash(spec), syncedAt };
    await this.say(name, { phase: 'Succeeded', message: 'machines can clone it', artifact });
  }

  /** As the image's controller ends a deletion. */
  async letGo(name: string): Promise<void> {
    await this.resource(imageType).mergePatch({ name, namespace }, { metadata: { finalizers: null } });
  }

  async use(image: string): Promise<void> {
    const machine = aVirtualMachine({ metadata: { namespace }, spec: { vmDiskImageRef: { name: image, namespace: '' } } });
    await this.resource(this.#machineType).create(machine);
  }

  /** One pass that sees just these objects in its caches. */
  async passOver(dataSync: DataSync, images: readonly VMDiskImage[]): Promise<Result> {
    const holding = (objects: readonly KubeObject[]) => ({
      store: { get: (key: string) => objects.find((object) => keyOf(object) === key), byIndex: () => objects },
      whenReached: (_: string, callback: () => void) => callback(),
    });
    const informers = { dataSyncs: holding([dataSync]), images: holding(images), namespaces: holding([]) };
    const deps: DataSyncDeps = {
      informers: informers as unknown as DataSyncDeps['informers'],
      api: this.#connection,
      ready: Promise.resolve(),
      defaultDiskSize: () => this.defaultDiskSize,
      serverNow: () => systemClock.now(),
      record: () => undefined,
    };
    const writer = new Writer({ api: this.#connection, fieldManager: 'test' });
    const { signal } = this.#stop;
    return reconcileDataSync(deps, keyOf(dataSync), { writer, signal });
  }

  /** One pass that sees all there is. */
  passOverAll(): Promise<Result> {
    const images = this.fake.objects(imageType) as unknown as VMDiskImage[];
    return this.passOver(this.dataSync() ?? assert.fail('there is no DataSync'), images);
  }

  readonly #machineType = { ...imageType, plural: 'virtualmachines' };

  async until(what: string, isMet: () => boolean | undefined): Promise<void> {
    const end = systemClock.monotonic() + 10_000;
    while (isMet() !== true) {
      if (systemClock.monotonic() > end)
        throw new Error(
          `there is still no ${what}; images ${this.names().join(', ')}; status ${JSON.stringify(this.dataSync()?.status)}`,
        );
      await systemClock.sleep(5);
    }
  }

  phase(phase: string, name = 'lab-7'): Promise<void> {
    return this.until(`phase ${phase}`, () => {
      const { metadata, status } = this.dataSync(name) ?? {};
      return status?.phase === phase && status.observedGeneration === metadata?.generation;
    });
  }

  /** Resolves when all that was told before has been seen: news of another DataSync are gathered as long, and told later. */
  async settled(): Promise<void> {
    await this.create([item('a')], { metadata: { name: 'later' } });
    await this.phase('Queued', 'later');
    await this.say('later-a', { phase: 'Syncing', message: 'downloads' });
    await this.phase('Syncing', 'later');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#connection.close();
    await this.fake.close();
  }
}
