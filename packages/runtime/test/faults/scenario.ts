import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Connection, type KubeObject, Resource } from '@terrain/runtime';
import { type ConfigMap, configMaps, type Mailbox, mailboxes, mailLabel } from '../example/controller.ts';
import { until } from '../until.ts';

interface Wanted {
  readonly quotaMiB: number;
  readonly hidden?: boolean;
}

/** Where a scenario is played: a namespace, and the directory that is the mail server. */
export interface Stage {
  /** Straight to the server: the people of the scenario have no faults. */
  readonly connection: Connection;
  readonly namespace: string;
  readonly mail: string;
}

/**
 * What people do to mailboxes, and how the world must look afterwards: three are made, one is changed, the settings of all are changed, one is
 * hidden, the ConfigMap of one is deleted by mistake, one is deleted.
 *
 * Guarantees: each step begins when the one before has come true, so that the controller's writes bear the same numbers every time.
 */
export class Scenario {
  readonly #stage: Stage;
  readonly #boxes: Resource<Mailbox>;
  readonly #maps: Resource<ConfigMap>;
  readonly #wanted = new Map<string, Wanted>();
  #domain = '';

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#boxes = new Resource<Mailbox>(stage.connection, mailboxes);
    this.#maps = new Resource<ConfigMap>(stage.connection, configMaps);
  }

  async play(): Promise<void> {
    for (const step of this.steps()) await step();
  }

  /** For tests that do something between them. */
  *steps(): Generator<() => Promise<void>> {
    yield () => this.create();
    yield () => this.change();
    yield () => this.move();
    yield () => this.hide();
    yield () => this.damage();
    yield () => this.remove();
  }

  async create(): Promise<void> {
    this.#domain = 'one.test';
    await this.#maps.create(this.#settings());
    for (const name of ['a', 'b', 'c']) {
      this.#wanted.set(name, { quotaMiB: 10 });
      const metadata = { name, namespace: this.#stage.namespace };
      await this.#boxes.create({
        apiVersion: 'example.dev/v1',
        kind: 'Mailbox',
        metadata,
        spec: { settings: 'mail', quotaMiB: 10 },
      });
    }
    await this.settled();
  }

  change(): Promise<void> {
    return this.#set('a', { quotaMiB: 20 });
  }

  async move(): Promise<void> {
    this.#domain = 'two.test';
    await this.#maps.replace(this.#settings());
    await this.settled();
  }

  hide(): Promise<void> {
    return this.#set('b', { quotaMiB: 10, hidden: true });
  }

  /** Somebody deletes what is the controller's; only the deletion tells it. */
  async damage(): Promise<void> {
    await this.#maps.delete(this.#at('a-mailbox'));
    await this.settled();
  }

  async remove(): Promise<void> {
    this.#wanted.delete('c');
    await this.#boxes.delete(this.#at('c'));
    await this.settled();
  }

  /** Waits until everything is as people want it. */
  async settled(): Promise<void> {
    const want = this.#want();
    let last: unknown;
    const isSettled = async (): Promise<boolean> => {
      // A server that is away is not settled either.
      last = await this.#look().catch((error: Error) => error.message);
      return isDeepStrictEqual(last, want);
    };
    await until('world as people want it', isSettled, 120_000, 25).catch((error: Error) => {
      throw new Error(`${error.message}; it is\n  ${JSON.stringify(last)}\nbut should be\n  ${JSON.stringify(want)}`);
    });
  }

  #want(): unknown {
    const names = [...this.#wanted.keys()];
    const address = (name: string): string => `${name}@${this.#domain}`;
    return {
      ready: Object.fromEntries(names.map((name) => [name, address(name)])),
      told: Object.fromEntries(
        names
          .filter((name) => this.#wanted.get(name)?.hidden !== true)
          .map((name) => [`${name}-mailbox`, { address: address(name), quota: `${this.#wanted.get(name)?.quotaMiB}Mi` }]),
      ),
      outside: names.map((name) => ({ address: address(name), quotaMiB: this.#wanted.get(name)?.quotaMiB })),
    };
  }

  async #look(): Promise<unknown> {
    const { namespace, mail } = this.#stage;
    const boxes = await this.#boxes.list({ namespace });
    const maps = await this.#maps.list({ namespace }, { labelSelector: `${mailLabel}=mailbox` });
    const isDone = ({ metadata, status }: Mailbox): boolean => status?.observedGeneration === metadata.generation;
    return {
      ready: Object.fromEntries(
        boxes.items.map((box) => [box.metadata.name, isDone(box) ? (box.status?.address ?? box.status?.message) : 'not yet']),
      ),
      told: Object.fromEntries(maps.items.map(({ metadata, data }) => [metadata.name, data])),
      outside: await mailOutside(mail),
    };
  }

  async #set(name: string, wanted: Wanted): Promise<void> {
    this.#wanted.set(name, wanted);
    await this.#boxes.mergePatch(this.#at(name), { spec: wanted });
    await this.settled();
  }

  #settings(): ConfigMap {
    const metadata = { name: 'mail', namespace: this.#stage.namespace, labels: { [mailLabel]: 'settings' } };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { domain: this.#domain } };
  }

  #at(name: string): { name: string; namespace: string } {
    return { name, namespace: this.#stage.namespace };
  }
}

/** The mailboxes on the mail server, by address. */
async function mailOutside(directory: string): Promise<{ address: string }[]> {
  const files = await readdir(directory);
  // Between the look at the directory and the look at a file, the file may go.
  const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8').catch(() => '');
  const texts = await Promise.all(files.filter((file) => !file.startsWith('.')).map(read));
  const boxes = texts.filter((text) => text !== '').map((text) => JSON.parse(text) as { address: string });
  return boxes.sort((a, b) => a.address.localeCompare(b.address));
}

/** All that is left of a scenario, without what differs between two runs that are the same: identities, versions, times. */
export async function endState({ connection, namespace, mail }: Stage): Promise<unknown> {
  const objects: KubeObject[] = [];
  for (const type of [mailboxes, configMaps])
    objects.push(...(await new Resource<KubeObject>(connection, type).list({ namespace })).items);
  const isOurs = ({ metadata }: KubeObject): boolean => metadata.name !== 'kube-root-ca.crt';
  const text = JSON.stringify({ objects: objects.filter(isOurs), outside: await mailOutside(mail) }, (key, value: unknown) =>
    masked.has(key) ? `some ${key}` : typeof value === 'string' ? value.replace(/^(created|applied):.*/, '$1') : value,
  );
  return JSON.parse(text.replaceAll(namespace, 'some namespace').replaceAll(uids, 'some uid'));
}

/** Identities are in keys too: who manages an owner reference is told by the owner's. */
const uids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const masked = new Set(['resourceVersion', 'creationTimestamp', 'time']);
