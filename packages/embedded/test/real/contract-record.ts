import { type Connection, Informers, type KubeObject, Resource, systemClock } from '@terrain/runtime';
import { apiVersionOf, type KindName, kinds } from '#simulator/kinds.ts';

/** An object of a foreign kind, read field by field. */
export interface Thing extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly uid: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Entry {
  readonly kind: KindName;
  readonly key: string;
  readonly object: Thing | undefined;
}

const recorded = ['DataVolume', 'PersistentVolumeClaim', 'Pod', 'VolumeSnapshot', 'Event'] as const satisfies readonly KindName[];
const patienceMs = 240_000;

/** Everything that is heard of the objects a platform acts on, in order. */
export class ContractRecord implements AsyncDisposable {
  readonly connection: Connection;
  readonly #entries: Entry[] = [];
  readonly #informers: Informers;
  readonly #listeners = new Set<() => void>();

  private constructor(connection: Connection) {
    this.connection = connection;
    this.#informers = new Informers({ api: connection, clock: systemClock });
    for (const kind of recorded)
      this.#informers.get<Thing>(kinds[kind]).onChange((change) => {
        const object = change.type === 'deleted' ? undefined : change.new;
        const { name, namespace } = (change.type === 'deleted' ? change.old : change.new).metadata;
        this.#entries.push({ kind, key: `${namespace}/${name}`, object });
        for (const listener of this.#listeners) listener();
      });
  }

  static async open(connection: Connection): Promise<ContractRecord> {
    const record = new ContractRecord(connection);
    record.#informers.start();
    await record.#informers.synced();
    return record;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.close();
  }

  resource(kind: KindName): Resource<Thing> {
    return new Resource<Thing>(this.connection, kinds[kind]);
  }

  create(kind: KindName, namespace: string, name: string, fields: object, metadata: object = {}): Promise<Thing> {
    const object = { apiVersion: apiVersionOf(kind), kind, metadata: { name, namespace, ...metadata }, ...fields };
    return this.resource(kind).create(object as unknown as Thing);
  }

  /** All states an object was heard to have; its end is undefined. */
  statesOf(kind: KindName, namespace: string, name: string): readonly (Thing | undefined)[] {
    return this.#entries.flatMap((entry) => (entry.kind === kind && entry.key === `${namespace}/${name}` ? [entry.object] : []));
  }

  /** The objects of a kind that were ever heard of in a namespace, each as it was last. */
  heardOf(kind: KindName, namespace: string): readonly Thing[] {
    const last = new Map<string, Thing>();
    for (const { kind: of, key, object } of this.#entries)
      if (of === kind && key.startsWith(`${namespace}/`) && object !== undefined) last.set(object.metadata.uid, object);
    return [...last.values()];
  }

  /** Those that are there now. */
  present(kind: KindName, namespace: string): readonly Thing[] {
    return this.heardOf(kind, namespace).filter(
      ({ metadata }) => this.statesOf(kind, namespace, metadata.name).at(-1)?.metadata.uid === metadata.uid,
    );
  }

  /** The values something about an object went through, each once per change. */
  sequence(kind: KindName, namespace: string, name: string, pick: (object: Thing) => string): readonly string[] {
    const values: string[] = [];
    for (const object of this.statesOf(kind, namespace, name)) {
      const value = object === undefined ? 'gone' : pick(object);
      if (value !== values.at(-1)) values.push(value);
    }
    return values;
  }

  /** Waits for the first state of an object that is so, which may have passed already. */
  until(kind: KindName, namespace: string, name: string, is: (object: Thing) => boolean): Promise<Thing> {
    return this.untilHeard(
      () => this.statesOf(kind, namespace, name).find((object) => object !== undefined && is(object)),
      () =>
        `${kind} ${namespace}/${name} never was as wanted; last: ${JSON.stringify(this.statesOf(kind, namespace, name).at(-1)?.status)}`,
    );
  }

  async untilNone(kind: KindName, namespace: string): Promise<void> {
    await this.untilHeard(
      () => (this.present(kind, namespace).length === 0 ? true : undefined),
      () => `left in ${namespace}: ${this.present(kind, namespace).map(({ metadata }) => `${kind} ${metadata.name}`)}`,
    );
  }

  untilHeard<T>(look: () => T | undefined, complaint: () => string): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(complaint()));
      }, patienceMs);
      const listener = (): void => {
        const found = look();
        if (found === undefined) return;
        end();
        resolve(found);
      };
      this.#listeners.add(listener);
      listener();
    });
  }
}

export function conditionOf(object: Thing | undefined, type: string): Condition | undefined {
  return (object?.status?.conditions as readonly Condition[] | undefined)?.find((condition) => condition.type === type);
}

export const statusOf = (object: Thing | undefined, field: string): string => String(object?.status?.[field] ?? '');
export const phaseOf = (object: Thing | undefined): string => statusOf(object, 'phase');
export const isPhase =
  (phase: string) =>
  (object: Thing): boolean =>
    phaseOf(object) === phase;
