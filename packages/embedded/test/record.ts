import { type Connection, Informers, isNotFound, type KubeObject, Resource, systemClock } from '@terrain/runtime';
import { Lookout } from '@terrain/runtime/testing';
import { apiVersionOf, type KindName, kinds } from '#simulator/kinds.ts';

/** An object of a foreign kind, read field by field. */
export interface Thing extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly uid: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
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

export interface RecordOptions {
  readonly connection: Connection;
  readonly kinds: readonly KindName[];
  readonly patienceMs: number;
}

type Test = (object: Thing) => boolean;

/** Everything that is heard of the objects a platform acts on, in order for each kind; and what one waits for in it. */
export class PlatformRecord implements AsyncDisposable {
  readonly connection: Connection;
  readonly entries: Entry[] = [];
  readonly #patienceMs: number;
  readonly #informers: Informers;
  readonly #lookout = new Lookout();

  constructor({ connection, kinds: recorded, patienceMs }: RecordOptions) {
    this.connection = connection;
    this.#patienceMs = patienceMs;
    this.#informers = new Informers({ api: connection, clock: systemClock });
    for (const kind of recorded)
      this.#informers.get<Thing>(kinds[kind]).onChange((change) => {
        const object = change.type === 'deleted' ? undefined : change.new;
        const { name, namespace } = (change.type === 'deleted' ? change.old : change.new).metadata;
        this.entries.push({ kind, name, namespace, atMs: Date.now(), object });
        this.#lookout.changed();
      });
  }

  /** Resolves when all there is has been heard of. */
  async listen(): Promise<void> {
    this.#informers.start();
    await this.#informers.synced();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.close();
  }

  resource(kind: KindName): Resource<Thing> {
    return new Resource<Thing>(this.connection, kinds[kind]);
  }

  create(kind: KindName, namespace: string | undefined, name: string, fields: object, metadata: object = {}): Promise<Thing> {
    return this.resource(kind).create(thing(kind, namespace, name, fields, metadata));
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

  /** As it was heard of last; undefined when it went, or never was. */
  last(kind: KindName, namespace: string | undefined, name: string): Thing | undefined {
    return this.statesOf(kind, namespace, name).at(-1)?.object;
  }

  /** The objects of a kind that were ever heard of in a namespace, each as it was last. */
  heardOf(kind: KindName, namespace: string): readonly Thing[] {
    const last = new Map<string, Thing>();
    for (const { kind: of, namespace: at, object } of this.entries)
      if (of === kind && at === namespace && object !== undefined) last.set(object.metadata.uid, object);
    return [...last.values()];
  }

  /** Those that are there now. */
  present(kind: KindName, namespace: string): readonly Thing[] {
    return this.heardOf(kind, namespace).filter(
      ({ metadata: { name, uid } }) => this.last(kind, namespace, name)?.metadata.uid === uid,
    );
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

  /** The version at which an object first was so. Versions count writes of all kinds, so this tells what came first. */
  versionOf(kind: KindName, namespace: string, name: string, test: Test): number {
    const found = this.statesOf(kind, namespace, name).find(({ object }) => object !== undefined && test(object));
    return Number(found?.object?.metadata.resourceVersion);
  }

  /** Waits for the first state of an object that is so, which may have passed already. */
  heard(kind: KindName, namespace: string | undefined, name: string, test: Test): Promise<Thing> {
    return this.wait(
      () => this.statesOf(kind, namespace, name).find(({ object }) => object !== undefined && test(object))?.object,
      () => this.#complaint(kind, namespace, name),
    );
  }

  /** Waits until an object is so. */
  until(kind: KindName, namespace: string | undefined, name: string, test: Test): Promise<Thing> {
    return this.wait(
      () => {
        const object = this.last(kind, namespace, name);
        return object !== undefined && test(object) ? object : undefined;
      },
      () => this.#complaint(kind, namespace, name),
    );
  }

  /** Waits until an object that was heard of is gone. */
  async untilGone(kind: KindName, namespace: string | undefined, name: string): Promise<void> {
    const states = (): readonly Entry[] => this.statesOf(kind, namespace, name);
    await this.wait(
      () => states().length > 0 && states().at(-1)?.object === undefined,
      () => `${kind} ${namespace}/${name} did not go; its metadata is ${JSON.stringify(states().at(-1)?.object?.metadata)}`,
    );
  }

  /** Waits until nothing of a kind is left in a namespace. */
  async untilNone(kind: KindName, namespace: string): Promise<void> {
    await this.wait(
      () => this.present(kind, namespace).length === 0,
      () => `left in ${namespace}: ${this.present(kind, namespace).map(({ metadata }) => `${kind} ${metadata.name}`)}`,
    );
  }

  /** Waits until the record is so. */
  wait<T>(look: () => T | undefined | false, complaint: () => string): Promise<T> {
    return this.#lookout.until(look, { patienceMs: this.#patienceMs, complaint });
  }

  #complaint(kind: KindName, namespace: string | undefined, name: string): string {
    const status = JSON.stringify(this.last(kind, namespace, name)?.status);
    return `${kind} ${namespace}/${name} never was as wanted; its status is ${status}`;
  }
}

function thing(kind: KindName, namespace: string | undefined, name: string, fields: object, metadata: object = {}): Thing {
  const at = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: apiVersionOf(kind), kind, metadata: { ...at, ...metadata }, ...fields } as unknown as Thing;
}
