/** Plays the whole life of images in one fixed order, so that every write has a number at which the operator can be made to die. */

import { aVMDiskImage } from '@terrain/api/testing';
import { type KubeObject, NoAnswerError } from '@terrain/runtime';
import { FakeClock } from '@terrain/runtime/testing';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { ModelInvariants } from './model-invariants.ts';
import { type Flight, ModelProcess } from './model-process.ts';
import { ModelWorld } from './model-world.ts';

/** Where something goes wrong: at the so-manieth write, counted from 1. */
export interface Mishap {
  readonly nth: number;
  /** `lost`: it is carried out, and the answer does not arrive. The others: the operator dies before it, after it, or when it has the answer. */
  readonly when: 'before' | 'applied' | 'answered' | 'lost';
}

/** What is left of a life. */
export interface Life {
  /** What was written, in order. */
  readonly writes: readonly string[];
  /** How often each object was made, by kind and name. */
  readonly made: Readonly<Record<string, number>>;
  readonly removed: Readonly<Record<string, number>>;
  /** How attempts ended, by image. */
  readonly results: Readonly<Record<string, readonly string[]>>;
}

const kinds = ['images', 'dataVolumes', 'claims', 'snapshots', 'ledger'] as const;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const isWrite = (name: string): boolean => !/^(?:read|list) /.test(name);
/** A step that takes longer never comes true. */
const mostRounds = 4000;

/** Lives through the story once, with the mishaps given. Throws when an invariant breaks or the story does not go on. */
export async function playLife(mishaps: readonly Mishap[] = []): Promise<Life> {
  const story = new Story(mishaps);
  try {
    await story.play();
    return story.life;
  } finally {
    story.end();
  }
}

class Story {
  readonly #mishaps: Mishap[];
  readonly #clock = new FakeClock();
  readonly #world: ModelWorld;
  readonly #invariants: ModelInvariants;
  readonly #flights: Flight[] = [];
  readonly #writes: string[] = [];
  readonly #log: string[] = [];
  #process: ModelProcess;
  #lives = 0;
  /** Writes since the operator was last started, for the mishap that is next. */
  #count = 0;

  constructor(mishaps: readonly Mishap[]) {
    this.#mishaps = [...mishaps];
    this.#world = new ModelWorld(
      () => this.#clock.now(),
      () => 0.5,
      (event) => this.#invariants?.check(event),
    );
    this.#invariants = new ModelInvariants(this.#world, { isTampered: false, note: (text) => this.#log.push(text) });
    this.#process = this.#start();
  }

  get life(): Life {
    const count = (isMade: boolean): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { kind, key, object, before } of this.#world.events) {
        const isMeant = isMade ? before === undefined && object !== undefined : object === undefined;
        if (isMeant && kind !== 'ledger') counts[`${kind} ${key}`] = (counts[`${kind} ${key}`] ?? 0) + 1;
      }
      return counts;
    };
    const results: Record<string, readonly string[]> = {};
    for (const { kind, key, object } of this.#world.events)
      if (kind === 'images' && object !== undefined)
        results[key] = ((object as StoredImage).status?.history ?? []).map(({ attempt, result }) => `${attempt} ${result}`);
    return { writes: this.#writes, made: count(true), removed: count(false), results };
  }

  end(): void {
    this.#process.kill();
  }

  /**
   * Three images. The first fails, is retried, loses its snapshot, gets another source; the second has no quota for its snapshot for a while; the
   * third fails for good and is deleted before the others.
   */
  async play(): Promise<void> {
    this.#world.noQuotaFor = 'second';
    this.#create('first', 'fails-once');
    this.#create('second', 'good');
    this.#create('third', 'missing');
    await this.#until('two settled', () => this.#isSettled('first') && this.#isSettled('third') && this.#isOverQuota('second'));
    this.#world.noQuotaFor = undefined;
    await this.#until('the snapshot there is a quota for again', () => this.#isSettled('second'));
    this.#delete('third');
    const [cut] = this.#world
      .list<VolumeSnapshot>('snapshots')
      .filter(({ metadata }) => metadata.name?.startsWith('first') === true);
    this.#world.collect('snapshots', cut as KubeObject);
    await this.#until('cut again', () => this.#isSettled('first') && this.#image('third') === undefined);
    const first = this.#image('first') as StoredImage;
    this.#invariants.wished(first.metadata.uid);
    this.#world.store('images', {
      ...first,
      spec: { ...first.spec, url: 'https://images.example.com/good-again.qcow2' },
      metadata: { ...first.metadata, generation: 2 },
    } as unknown as KubeObject);
    await this.#until('the new source', () => this.#isSettled('first') && this.#world.list('snapshots').length === 2);
    this.#delete('first');
    this.#delete('second');
    await this.#until(
      'nothing left',
      () => this.#world.list('images').length === 0 && this.#world.list('dataVolumes').length === 0,
    );
  }

  #start(): ModelProcess {
    return new ModelProcess(this.#lives++, this.#world, this.#clock, (flight) => this.#flights.push(flight));
  }

  #image(name: string): StoredImage | undefined {
    return this.#world.get<StoredImage>('images', `farm/${name}`);
  }

  #isSettled(name: string): boolean {
    const image = this.#image(name);
    return image !== undefined && this.#world.isSettled(image) && !this.#world.entries().has(image.metadata.uid);
  }

  /** Its slot is free for others; its download is kept. */
  #isOverQuota(name: string): boolean {
    const image = this.#image(name);
    return image?.status?.retry?.lastReason === 'QuotaExceeded' && !this.#world.entries().has(image.metadata.uid);
  }

  #create(name: string, file: string): void {
    const image = aVMDiskImage({
      metadata: { name, namespace: 'farm', generation: 1, finalizers: ['pelotech.ot/cleanup'] },
      spec: { url: `https://images.example.com/${file}.qcow2` },
    });
    this.#world.store('images', this.#world.fresh(image as unknown as KubeObject));
  }

  #delete(name: string): void {
    const image = this.#image(name);
    if (image !== undefined) this.#world.markDeleted('images', image as unknown as KubeObject);
  }

  async #until(what: string, isTrue: () => boolean): Promise<void> {
    for (let round = 0; round < mostRounds; round++) {
      if (isTrue()) return;
      await this.#round();
      this.#invariants.assert();
    }
    const shown = this.#world.list<StoredImage>('images').map(({ metadata, status }) => `${metadata.name}: ${status?.message}`);
    throw new Error(`it never came to this: ${what}; ${shown.join('; ')}\n${this.#log.slice(-30).join('\n')}`);
  }

  /** Requests, then news, then work, then the platform; time passes when nobody has anything to do. */
  async #round(): Promise<void> {
    const before = this.#world.revision;
    while (this.#flights.length > 0) {
      this.#land(this.#flights.shift() as Flight);
      await settle();
    }
    for (const kind of kinds) this.#process.deliver(kind, this.#world.events.length);
    const ready = [...this.#process.ready].find((key) => this.#process.isCaughtUp(key));
    if (ready !== undefined) this.#process.pass(ready);
    await settle();
    if (this.#flights.length > 0 || ready !== undefined) return;
    this.#platform();
    if (this.#world.revision === before) await this.#clock.advance(200);
    await settle();
  }

  #land(flight: Flight): void {
    if (!flight.process.isAlive) return;
    const [mishap] = this.#mishaps;
    const isHit = isWrite(flight.name) && ++this.#count === mishap?.nth;
    if (isWrite(flight.name)) this.#writes.push(flight.name);
    if (!isHit) {
      this.#carryOut(flight, true);
      return;
    }
    this.#mishaps.shift();
    this.#count = 0;
    this.#log.push(`${mishap.when} ${flight.name}`);
    if (mishap.when !== 'before') this.#carryOut(flight, mishap.when === 'answered');
    if (mishap.when === 'lost') {
      flight.reject(new NoAnswerError({ method: 'PUT', path: flight.name }, 'reset'));
      return;
    }
    this.#process.kill();
    this.#process = this.#start();
  }

  #carryOut(flight: Flight, isAnswered: boolean): void {
    try {
      const value = flight.apply();
      if (isAnswered) flight.resolve(value);
    } catch (error) {
      if (isAnswered) flight.reject(error);
    }
  }

  #platform(): void {
    for (const kind of ['dataVolumes', 'snapshots'] as const)
      for (const object of this.#world.list<KubeObject>(kind))
        if (object.metadata.deletionTimestamp !== undefined) this.#world.collect(kind, object);
    for (const volume of this.#world.list<DataVolume>('dataVolumes')) this.#advance(volume);
    for (const cut of this.#world.list<VolumeSnapshot>('snapshots'))
      if (cut.status?.readyToUse !== true)
        this.#world.store('snapshots', {
          ...cut,
          status: { readyToUse: true, boundVolumeSnapshotContentName: 'c', restoreSize: '1' },
        } as KubeObject);
  }

  #advance(volume: DataVolume): void {
    const { name, namespace, labels } = volume.metadata;
    const url = volume.spec.source?.http?.url ?? '';
    const phase = volume.status?.phase ?? '';
    const told = (code: number): void =>
      this.#world.volumeStatus(volume, {
        conditions: [
          {
            type: 'Running',
            status: 'False',
            reason: 'Error',
            message: `Unable to connect to http data source: expected status code 200, got ${code}. Status: x`,
          },
        ],
      });
    if (phase === '')
      this.#world.volumeStatus(volume, { phase: 'ImportInProgress', conditions: [{ type: 'Running', status: 'True' }] });
    else if (phase === 'Succeeded') {
      if (this.#world.get('claims', `${namespace}/${name}`) === undefined) this.#world.bindClaim(volume);
    } else if (url.includes('missing')) {
      if (volume.status?.conditions?.[0]?.status === 'True') told(404);
    } else if (url.includes('fails-once') && labels?.['pelotech.ot/attempt'] === '1') {
      if (volume.status?.conditions?.[0]?.status === 'True') told(503);
    } else this.#world.volumeStatus(volume, { phase: 'Succeeded' });
  }
}
