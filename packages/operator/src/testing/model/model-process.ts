/** One operator in the model: the real reconciler, keeper and queue over caches that lag, and writes that may be the last thing it did. */
import {
  controllerUid,
  type KubeObject,
  keyOf,
  type Logger,
  type Result,
  type StoreReader,
  silentLogger,
} from '@terrain/runtime';
import type { FakeClock } from '@terrain/runtime/testing';
import { attemptOf } from '#controllers/vmdiskimage/desired.ts';
import type { Eyes, Hands } from '#controllers/vmdiskimage/hands.ts';
import { Intake } from '#controllers/vmdiskimage/intake.ts';
import { Memories } from '#controllers/vmdiskimage/memory.ts';
import { NamespaceUse } from '#controllers/vmdiskimage/namespace-use.ts';
import { Needs } from '#controllers/vmdiskimage/needs.ts';
import { addIndexes, type ImageCaches } from '#controllers/vmdiskimage/observe.ts';
import type { Deps } from '#controllers/vmdiskimage/pass.ts';
import { reconcileImage } from '#controllers/vmdiskimage/reconcile.ts';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import { LedgerKeeper } from '#ledger/keeper.ts';
import type { RunningImport } from '#ledger/rebuild.ts';
import { type DataVolume, isUnfinished } from '#platform/cdi.ts';
import type { Claim, ConfigMap } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { readPolicy } from '#policy/policy.ts';
import { aSnapshotClass, aStorageClass } from '#testing/image-world.ts';
import { keyFor, ledgerKey, type ModelEvent, type ModelKind, type ModelWorld } from './model-world.ts';

/** A request on its way: the scheduler decides when the server sees it, and whether its answer arrives. */
export interface Flight {
  readonly process: ModelProcess;
  readonly name: string;
  /** Carries it out; what it throws is the server's answer. */
  readonly apply: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A cache with indexes, as small as it can be: the model's worlds hold a handful of objects. */
class ModelCache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, (object: T) => readonly string[]>();
  revision = 0;
  readonly served = true;

  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    this.#indexes.set(name, valuesOf);
  }

  set(key: string, object: T | undefined): void {
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
  }

  get store(): StoreReader<T> {
    const objects = this.#objects;
    const byIndex = (index: string, value: string): readonly T[] =>
      [...objects.values()].filter((object) => this.#indexes.get(index)?.(object).includes(value));
    return {
      get: (key) => objects.get(key),
      has: (key) => objects.has(key),
      values: () => objects.values(),
      byIndex,
      keysByIndex: (index, value) => byIndex(index, value).map(keyOf),
      countByIndex: (index, value) => byIndex(index, value).length,
      size: objects.size,
      resourceVersion: String(this.revision),
    };
  }
}

const watched: readonly ModelKind[] = ['images', 'dataVolumes', 'claims', 'snapshots', 'ledger'];

export class ModelProcess {
  readonly id: number;
  readonly world: ModelWorld;
  readonly keeper: LedgerKeeper;
  readonly caches: Record<ModelKind, ModelCache<KubeObject>>;
  /** Position in the world's events up to which each cache has been told. */
  readonly seen: Record<ModelKind, number>;
  readonly ready = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, () => void>();
  readonly #ownWrites = new Map<string, Map<ModelKind, number>>();
  readonly #deps: Deps;
  readonly #intake: Intake;
  readonly #clock: FakeClock;
  readonly #launch: (flight: Flight) => void;
  readonly #stop = new AbortController();
  readonly errors: unknown[] = [];
  isAlive = true;
  #isPrimed = false;

  constructor(id: number, world: ModelWorld, clock: FakeClock, launch: (flight: Flight) => void) {
    this.id = id;
    this.world = world;
    this.#clock = clock;
    this.#launch = launch;
    this.caches = Object.fromEntries(watched.map((kind) => [kind, new ModelCache<KubeObject>()])) as Record<
      ModelKind,
      ModelCache<KubeObject>
    >;
    this.seen = Object.fromEntries(watched.map((kind) => [kind, 0])) as Record<ModelKind, number>;
    const machines = new ModelCache<KubeObject>();
    const fixed = <T extends KubeObject>(...objects: T[]): ModelCache<T> => {
      const cache = new ModelCache<T>();
      for (const object of objects) cache.set(object.metadata.name ?? '', object);
      return cache;
    };
    const informers = {
      ...this.caches,
      machines,
      storageClasses: fixed(aStorageClass()),
      snapshotClasses: fixed(aSnapshotClass()),
      namespaces: fixed(),
    } as unknown as ImageCaches;
    addIndexes({ ...this.caches, machines } as unknown as Parameters<typeof addIndexes>[0]);
    const eyes = this.#eyes();
    this.keeper = new LedgerKeeper({
      port: {
        read: () => this.#request('read ledger', () => world.get<ConfigMap>('ledger', ledgerKey)),
        create: (data) => this.#request('create ledger', () => world.createLedger(data)),
        replace: (object) => this.#request('write ledger', () => world.replaceLedger(object)),
        runningImports: () => this.#request('list imports', () => runningImports(world)),
        isRunning: (uid, { attempt }) =>
          this.#request('read import', () =>
            runningImports(world).some((running) => running.uid === uid && running.attempt === attempt),
          ),
      },
      clock,
      serverNow: () => clock.now(),
      log: silentLogger,
      random: world.random,
      onEntry: (key) => this.wake(key),
      confirm: (waiting, signal) => this.#intake.confirm(waiting, signal),
      stillWaits: (waiting) => this.#intake.stillWaits(waiting),
      onLoaded: () => {
        this.#isPrimed = true;
        for (const image of this.caches.images.store.values())
          this.#intake.changed({ type: 'added', key: keyFor(image), new: image as StoredImage });
        for (const { image } of this.keeper.ledger?.entries.values() ?? []) this.wake(image);
        this.#followPolicy();
      },
    });
    const memories = new Memories();
    const sources = {
      informers,
      keeper: this.keeper,
      memories,
      needs: new Needs(eyes, { await: () => undefined }),
      serverNow: () => clock.now(),
    };
    this.#intake = new Intake({
      sources,
      eyes,
      keeper: this.keeper,
      onGone: (_, uid) => memories.forget(uid),
      wake: (key) => this.wake(key),
    });
    this.#deps = {
      ...sources,
      eyes,
      intake: this.#intake,
      namespaceUse: new NamespaceUse(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      record: () => undefined,
      awaitPlatform: () => undefined,
    };
    // The first list is as old as the server cares to serve it, but complete.
    for (const kind of watched) this.deliver(kind, Math.floor(world.events.length * (0.5 + world.random() / 2)));
    this.keeper.start();
  }

  /** Dies at once. What it has sent may still arrive. */
  kill(): void {
    this.isAlive = false;
    this.#stop.abort(new Error('killed'));
    this.keeper.close();
    for (const cancel of this.#timers.values()) cancel();
  }

  wake(key: string): void {
    if (!this.isAlive) return;
    if (this.#busy.has(key)) this.#again.add(key);
    else this.ready.add(key);
  }

  /** Tells a cache the world's events up to a position. */
  deliver(kind: ModelKind, upTo: number): void {
    const cache = this.caches[kind];
    for (let position = this.seen[kind]; position < upTo; position++) {
      const event = this.world.events[position] as ModelEvent;
      if (event.kind === kind) {
        cache.revision = event.revision;
        cache.set(event.key, event.object);
        this.#told(event);
      }
    }
    this.seen[kind] = Math.max(this.seen[kind], upTo);
    for (const key of this.#ownWrites.keys()) if (this.isCaughtUp(key)) this.#ownWrites.delete(key);
  }

  #told({ kind, key, object, before }: ModelEvent): void {
    const subject = object ?? before;
    if (kind === 'ledger') {
      if (this.#isPrimed) {
        this.keeper.observed(object as ConfigMap | undefined);
        this.#followPolicy();
      }
      return;
    }
    if (kind === 'images') {
      if (this.#isPrimed) {
        if (object === undefined) this.#intake.changed({ type: 'deleted', key, old: before as StoredImage });
        else this.#intake.changed({ type: 'added', key, new: object as StoredImage });
      }
      this.wake(key);
      return;
    }
    const owner = subject?.metadata.ownerReferences?.[0]?.name;
    if (owner !== undefined) this.wake(`${subject?.metadata.namespace}/${owner}`);
    // A claim has no owner in the model; whose it is, its name tells.
    else for (const image of this.caches.images.store.values()) this.wake(keyFor(image));
  }

  /** There is no policy in the model but the defaults, and what people set in the ledger. */
  #followPolicy(): void {
    this.keeper.policyFollowed();
    const { ledger } = this.keeper;
    if (ledger === undefined || ledger.policyResourceVersion !== undefined) return;
    const { texts } = readPolicy({ retryBackoffDuration: '1s' }, new Map());
    this.keeper.setPolicy(texts, String(this.world.revision)).catch(() => undefined);
  }

  isCaughtUp(key: string): boolean {
    for (const [kind, revision] of this.#ownWrites.get(key) ?? []) if (this.seen[kind] < revision) return false;
    return true;
  }

  /** Begins a pass; it goes on as its requests are answered. */
  pass(key: string): void {
    this.ready.delete(key);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    this.#busy.add(key);
    const done = (result: Result): void => {
      this.#busy.delete(key);
      if (!this.isAlive) return;
      if (this.#again.delete(key)) this.ready.add(key);
      if (result.afterMs !== undefined) this.#wakeAfter(key, result.afterMs);
    };
    reconcileImage({
      deps: this.#deps,
      key,
      hands: this.#hands(key),
      signal: this.#stop.signal,
      log: silentLogger as Logger,
    }).then(done, (error: unknown) => {
      this.errors.push(error);
      done({ afterMs: 50 });
    });
  }

  #wakeAfter(key: string, ms: number): void {
    const cancel = this.#clock.setTimeout(() => {
      this.#timers.delete(key);
      this.wake(key);
    }, ms);
    this.#timers.set(key, cancel);
  }

  #request<T>(name: string, apply: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.isAlive) return;
      this.#launch({ process: this, name, apply, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #write<T>(key: string, kind: ModelKind, name: string, apply: () => T): Promise<T> {
    return this.#request(name, () => {
      const before = this.world.revision;
      const result = apply();
      if (this.world.revision > before) {
        const writes = this.#ownWrites.get(key) ?? new Map<ModelKind, number>();
        writes.set(kind, this.world.revision);
        this.#ownWrites.set(key, writes);
      }
      return result;
    });
  }

  #hands(key: string): Hands {
    const { world } = this;
    return {
      writeStatus: (image, status) => this.#write(key, 'images', 'write status', () => world.writeStatus(image, status)),
      addFinalizer: async (image, finalizer) => {
        const known = image.metadata.finalizers ?? [];
        if (known.includes(finalizer)) return image;
        return (await this.#write(key, 'images', 'add finalizer', () =>
          world.setFinalizers(image, [...known, finalizer]),
        )) as StoredImage;
      },
      removeFinalizer: async (image, finalizer) => {
        const known = image.metadata.finalizers ?? [];
        if (!known.includes(finalizer)) return image;
        return this.#write(key, 'images', 'remove finalizer', () =>
          world.setFinalizers(
            image,
            known.filter((name) => name !== finalizer),
          ),
        );
      },
      createDataVolume: (manifest) => this.#write(key, 'dataVolumes', 'create volume', () => world.createDataVolume(manifest)),
      createSnapshot: (manifest) => this.#write(key, 'snapshots', 'create snapshot', () => world.createSnapshot(manifest)),
      deleteDataVolume: (object) =>
        this.#write(key, 'dataVolumes', 'delete volume', () => world.deleteChild('dataVolumes', object)),
      deleteSnapshot: (object) => this.#write(key, 'snapshots', 'delete snapshot', () => world.deleteChild('snapshots', object)),
      deleteImage: async () => undefined,
      markNamespace: async () => undefined,
    };
  }

  #eyes(): Eyes {
    const { world } = this;
    const get =
      <T extends KubeObject>(kind: ModelKind) =>
      (namespace: string, name: string) =>
        this.#request(`read ${kind}`, () => world.get<T>(kind, `${namespace}/${name}`));
    return {
      image: get<StoredImage>('images'),
      dataVolume: get<DataVolume>('dataVolumes'),
      snapshot: get<VolumeSnapshot>('snapshots'),
      claim: get<Claim>('claims'),
      childrenOf: ({ uid }) =>
        this.#request('list children', () => ({
          dataVolumes: world.list<DataVolume>('dataVolumes').filter((object) => controllerUid(object) === uid),
          snapshots: world.list<VolumeSnapshot>('snapshots').filter((object) => controllerUid(object) === uid),
        })),
      importer: (namespace, claim) =>
        this.#request('list pods', () => {
          const filled = world.get<DataVolume>('dataVolumes', `${namespace}/${claim}`);
          const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: `importer-${claim}` } };
          return filled !== undefined && isUnfinished(filled) ? pod : undefined;
        }),
      importerWords: async () => undefined,
      entry: (uid) =>
        this.#request('read ledger', () =>
          world.get('ledger', ledgerKey) === undefined ? 'unreadable' : world.entries().get(uid),
        ),
      secret: async () => undefined,
      hasConfigMap: async () => true,
      machinesOf: async () => [],
    };
  }
}

function runningImports(world: ModelWorld): RunningImport[] {
  return world
    .list<DataVolume>('dataVolumes')
    .filter(isUnfinished)
    .map((dataVolume) => ({
      uid: controllerUid(dataVolume) ?? '',
      image: `${dataVolume.metadata.namespace}/${dataVolume.metadata.ownerReferences?.[0]?.name}`,
      attempt: attemptOf(dataVolume),
      since: dataVolume.metadata.creationTimestamp ?? '',
      isEnding: dataVolume.metadata.deletionTimestamp !== undefined,
    }));
}
