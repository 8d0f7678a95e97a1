/** What the simulator's suites share: a cluster with the platform's kinds, a namespace for each test, and a record of all that happens in it. */
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { type Connection, Informers, isNotFound, type KubeObject, Resource, systemClock } from '@terrain/runtime';
import { apiVersionOf, type KindName, kinds } from '#simulator/kinds.ts';
import { defaultScenario, type Scenario } from '#simulator/scenario/scenario.ts';
import { type Simulator, startSimulator } from '#simulator/simulator.ts';

/** An object of a foreign kind, read field by field. */
export interface Thing extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly uid: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const recorded = [
  'DataVolume',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Pod',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'VirtualMachine',
  'VirtualMachineInstance',
  'Event',
] as const satisfies readonly KindName[];

const patience = 60_000;
// Shared by all files of the run, so that the definitions are installed once.
let prepared: Promise<TestCluster> | undefined;

export function platform(): Promise<TestCluster> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<TestCluster> {
  const cluster = await testCluster({ controllerManager: true });
  const upstream = await ensureUpstream();
  await installDefinitions(cluster.connection(), upstream.definitions);
  return cluster;
}

/** One state of one object, as it was heard of. */
interface Entry {
  readonly kind: KindName;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly atMs: number;
  /** Undefined when it went. */
  readonly object: Thing | undefined;
}

/** A simulator at work on the shared cluster, and a record of all changes since it was opened. */
export class Stage implements AsyncDisposable {
  readonly connection: Connection;
  readonly cluster: TestCluster;
  readonly scenario: Scenario;
  simulator: Simulator;
  readonly entries: Entry[] = [];
  readonly #informers: Informers;
  readonly #listeners = new Set<() => void>();

  private constructor(cluster: TestCluster, scenario: Scenario, simulator: Simulator) {
    this.cluster = cluster;
    this.connection = cluster.connection();
    this.scenario = scenario;
    this.simulator = simulator;
    this.#informers = new Informers({ api: this.connection, clock: systemClock });
    for (const kind of recorded) this.#informers.get<Thing>(kinds[kind]).onChange((change) => this.#note(kind, change));
  }

  static async open(scenario: Partial<Scenario> = {}): Promise<Stage> {
    const cluster = await platform();
    const whole = { ...defaultScenario, ...scenario };
    const stage = new Stage(cluster, whole, await startSimulator({ connection: cluster.connection(), scenario: whole }));
    stage.#informers.start();
    await stage.#informers.synced();
    return stage;
  }

  /** Stops the simulator and starts another in its place, as after a crash. */
  async restartSimulator(): Promise<void> {
    await this.simulator.stop();
    this.simulator = await startSimulator({ connection: this.connection, scenario: this.scenario });
  }

  namespace(): Promise<string> {
    return this.cluster.namespace('sim');
  }

  create(kind: KindName, namespace: string | undefined, name: string, fields: object, metadata: object = {}): Promise<Thing> {
    const at = { name, ...(namespace === undefined ? {} : { namespace }) };
    const object = { apiVersion: apiVersionOf(kind), kind, metadata: { ...at, ...metadata }, ...fields };
    return this.resource(kind).create(object as unknown as Thing);
  }

  resource(kind: KindName): Resource<Thing> {
    return new Resource<Thing>(this.connection, kinds[kind]);
  }

  get(kind: KindName, namespace: string | undefined, name: string): Promise<Thing> {
    return this.resource(kind).get({ name, namespace });
  }

  async find(kind: KindName, namespace: string | undefined, name: string): Promise<Thing | undefined> {
    try {
      return await this.get(kind, namespace, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(kind: KindName, namespace: string): Promise<readonly Thing[]> {
    return (await this.resource(kind).list({ namespace })).items;
  }

  /** All states an object was heard to have, in order; its end is undefined. */
  statesOf(kind: KindName, namespace: string | undefined, name: string): readonly Entry[] {
    return this.entries.filter((entry) => entry.kind === kind && entry.name === name && entry.namespace === namespace);
  }

  /** The values something about an object went through, each once per change. */
  sequence(kind: KindName, namespace: string, name: string, pick: (object: Thing) => string | undefined): readonly string[] {
    const values: string[] = [];
    for (const { object } of this.statesOf(kind, namespace, name)) {
      const value = object === undefined ? 'gone' : (pick(object) ?? '');
      if (value !== values.at(-1)) values.push(value);
    }
    return values;
  }

  /** When an object was first heard to be so. */
  momentOf(kind: KindName, namespace: string, name: string, test: (object: Thing) => boolean): number | undefined {
    return this.statesOf(kind, namespace, name).find(({ object }) => object !== undefined && test(object))?.atMs;
  }

  /** Waits until an object is so; the error tells how it was last. */
  async until(kind: KindName, namespace: string | undefined, name: string, test: (object: Thing) => boolean): Promise<Thing> {
    const last = (): Thing | undefined => this.statesOf(kind, namespace, name).at(-1)?.object;
    await this.#wait(
      () => {
        const object = last();
        return object !== undefined && test(object);
      },
      () => `${kind} ${namespace}/${name} never was as wanted; its status is ${JSON.stringify(last()?.status)}`,
    );
    return last()!;
  }

  /** Waits until an object is gone. */
  async untilGone(kind: KindName, namespace: string | undefined, name: string): Promise<void> {
    const states = (): readonly Entry[] => this.statesOf(kind, namespace, name);
    await this.#wait(
      () => states().length > 0 && states().at(-1)?.object === undefined,
      () => `${kind} ${namespace}/${name} did not go; its metadata is ${JSON.stringify(states().at(-1)?.object?.metadata)}`,
    );
  }

  /** Waits until the record is so. */
  async untilHeard(test: () => boolean, what: string): Promise<void> {
    await this.#wait(test, () => what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.stop();
    await this.#informers.close();
  }

  #note(kind: KindName, change: { readonly type: string; readonly old?: Thing; readonly new?: Thing }): void {
    const object = change.type === 'deleted' ? undefined : change.new;
    const { name, namespace } = (change.new ?? change.old)!.metadata;
    this.entries.push({ kind, name, namespace, atMs: Date.now(), object });
    for (const listener of this.#listeners) listener();
  }

  async #wait(test: () => boolean, complaint: () => string): Promise<void> {
    if (test()) return;
    const done = Promise.withResolvers<void>();
    const listener = (): void => {
      if (test()) done.resolve();
    };
    this.#listeners.add(listener);
    const timer = setTimeout(() => done.reject(new Error(complaint())), patience);
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(listener);
    }
  }
}

/** A DataVolume's spec that downloads, with switches. */
export function download(switches = '', more: { readonly source?: object; readonly storage?: object } = {}): object {
  const url = `https://images.example.com/lab.qcow2${switches === '' ? '' : `?sim=${switches}`}`;
  return {
    spec: {
      source: { http: { url, ...more.source } },
      storage: { resources: { requests: { storage: '1Gi' } }, ...more.storage },
    },
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function conditionOf(object: Thing | undefined, type: string): Condition | undefined {
  const conditions = (object?.status as { conditions?: readonly Condition[] } | undefined)?.conditions;
  return conditions?.find((condition) => condition.type === type);
}

/** A field of an object's status as text. */
export function statusOf(object: Thing | undefined, field: string): string {
  const value = (object?.status as Record<string, unknown> | undefined)?.[field];
  return value === undefined ? '' : String(value);
}

export const phaseOf = (object: Thing | undefined): string => statusOf(object, 'phase');
