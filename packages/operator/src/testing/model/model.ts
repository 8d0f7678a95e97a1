/** Plays operators against a cluster in an order drawn from a seed: crashes, lost answers, late writes, stale caches, two at once. */
import { annotations } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { controllerUid, type KubeObject, NoAnswerError } from '@terrain/runtime';
import { FakeClock, seededRandom } from '@terrain/runtime/testing';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import { type DataVolume, isUnfinished } from '#platform/cdi.ts';
import type { ConfigMap } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { readPolicy } from '#policy/policy.ts';
import { ModelInvariants } from './model-invariants.ts';
import { type Flight, ModelProcess } from './model-process.ts';
import { ledgerKey, ModelWorld } from './model-world.ts';

export interface ModelOptions {
  readonly seed: number;
  readonly steps: number;
  readonly images: number;
  readonly processes: number;
  /** Chance per step that something goes wrong with a process. */
  readonly faults: number;
  /** Chance per step that a person does something. */
  readonly people: number;
  /** Chance per step that a process hears nothing of images any more just when a source changes, or hears of them again. */
  readonly deafness?: number;
  /** Whether people also reach into the ledger and delete children. */
  readonly isTampered?: boolean;
}

export interface ModelResult {
  readonly revisions: number;
  readonly volumes: number;
  readonly crashes: number;
  readonly lateWrites: number;
}

/** Throws with the seed and what was wrong. */
export async function runModel(options: ModelOptions): Promise<ModelResult> {
  const model = new Model(options);
  try {
    await model.play();
    await model.calmDown();
    return model.result;
  } catch (error) {
    throw new Error(`seed ${options.seed} (${JSON.stringify(options)}): ${(error as Error).message}\n${model.recent()}`, {
      cause: error,
    });
  } finally {
    model.end();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const minimumDeletionMs = 150;

class Model {
  readonly #options: ModelOptions;
  readonly #random: () => number;
  readonly #clock = new FakeClock();
  readonly #world: ModelWorld;
  readonly #invariants: ModelInvariants;
  readonly #flights: Flight[] = [];
  #processes: ModelProcess[] = [];
  readonly #frozen = new Set<ModelProcess>();
  readonly #deaf = new Set<ModelProcess>();
  readonly #log: string[] = [];
  #crashes = 0;
  #lateWrites = 0;
  #isCalm = false;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#world = new ModelWorld(
      () => this.#clock.now(),
      this.#random,
      (event) => this.#invariants?.check(event),
    );
    this.#invariants = new ModelInvariants(this.#world, {
      isTampered: options.isTampered === true,
      note: (text) => this.#note(text),
    });
    for (let index = 0; index < options.processes; index++) this.#startProcess();
  }

  get result(): ModelResult {
    return {
      revisions: this.#world.revision,
      volumes: this.#invariants.volumes,
      crashes: this.#crashes,
      lateWrites: this.#lateWrites,
    };
  }

  recent(): string {
    return this.#log.slice(-60).join('\n');
  }

  end(): void {
    for (const process of this.#processes) process.kill();
  }

  async play(): Promise<void> {
    for (let step = 0; step < this.#options.steps; step++) {
      if (this.#random() < this.#options.faults) this.#fault();
      if (this.#random() < this.#options.people) this.#person();
      if (this.#options.deafness !== undefined && this.#random() < this.#options.deafness) this.#deafen();
      if (this.#world.objects.images.size < this.#options.images && this.#random() < 0.2) this.#createImage();
      await this.#step();
      this.#invariants.assert();
    }
  }

  /** No more faults: everything must come to rest, and stay there. */
  async calmDown(): Promise<void> {
    this.#isCalm = true;
    this.#frozen.clear();
    this.#deaf.clear();
    for (let round = 0; round < 4000; round++) {
      await this.#step();
      if (round % 20 === 0) await this.#clock.advance(2000);
      this.#invariants.assert();
      if (round % 50 === 0 && this.#isAtRest()) return;
    }
    const images = this.#world
      .list<StoredImage>('images')
      .map(
        ({ metadata, status }) =>
          `${metadata.name}: ${JSON.stringify(status?.retry)} ${status?.message} artifact ${status?.artifact?.volumeSnapshot}`,
      );
    const errors = this.#processes.flatMap(({ errors: list }) => list.slice(-2).map(String));
    throw new Error(
      `it does not come to rest: ${images.join('; ')}; entries ${JSON.stringify([...this.#world.entries()])}; volumes ${this.#world.list('dataVolumes').map(({ metadata }) => metadata.name)}; errors ${errors.join('; ')}`,
    );
  }

  #isAtRest(): boolean {
    const images = this.#world.list<StoredImage>('images');
    const isQuiet = images.every(
      (image) => this.#isHeld(image) || (image.metadata.deletionTimestamp === undefined && this.#world.isSettled(image)),
    );
    return (
      isQuiet &&
      this.#world.entries().size === 0 &&
      this.#flights.length === 0 &&
      images.every((image) => this.#isHeld(image) || this.#hasNoLeftovers(image))
    );
  }

  #isHeld({ metadata }: StoredImage): boolean {
    return metadata.annotations?.[annotations.paused] === 'true';
  }

  #hasNoLeftovers({ metadata, status }: StoredImage): boolean {
    const volumes = this.#world.list<DataVolume>('dataVolumes').filter((volume) => controllerUid(volume) === metadata.uid);
    return volumes.every((volume) => volume.metadata.name === status?.artifact?.dataVolume || !isUnfinished(volume));
  }

  async #step(): Promise<void> {
    const roll = this.#random();
    if (roll < 0.45 && this.#flights.length > 0) this.#land();
    else if (roll < 0.65) this.#deliver();
    else if (roll < 0.85) this.#pass();
    else if (roll < 0.95) this.#platform();
    else await this.#clock.advance(Math.ceil(this.#random() * (this.#isCalm ? 400 : 60)));
    await settle();
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)];
  }

  #note(text: string): void {
    this.#log.push(`r${this.#world.revision} t${this.#clock.monotonic()} ${text}`);
    if (this.#log.length > 400) this.#log.splice(0, 200);
  }

  /** A request reaches the server, or does not; its answer arrives, or does not. */
  #land(): void {
    const able = this.#flights.filter(({ process }) => !this.#frozen.has(process));
    const flight = this.#pick(able);
    if (flight === undefined) return;
    this.#flights.splice(this.#flights.indexOf(flight), 1);
    const { process, name } = flight;
    const luck = this.#isCalm || this.#options.faults === 0 ? 1 : this.#random();
    if (!process.isAlive) {
      if (luck < 0.5) return;
      this.#lateWrites++;
    }
    const lost = new NoAnswerError({ method: 'GET', path: name }, 'reset');
    if (luck < 0.02) {
      flight.reject(lost);
      return;
    }
    try {
      const before = this.#world.revision;
      const value = flight.apply();
      if (this.#world.revision > before) this.#note(`p${process.id}${process.isAlive ? '' : ' (dead)'} ${name}`);
      if (luck < 0.05) flight.reject(lost);
      else flight.resolve(value);
    } catch (error) {
      this.#note(`p${process.id} ${name} refused: ${(error as Error).message.slice(0, 90)}`);
      flight.reject(error);
    }
  }

  #deliver(): void {
    const process = this.#pick(this.#processes.filter((one) => !this.#frozen.has(one)));
    if (process === undefined) return;
    const kinds = (['images', 'dataVolumes', 'claims', 'snapshots', 'ledger'] as const).filter(
      (kind) => process.seen[kind] < this.#world.events.length && !(kind === 'images' && this.#deaf.has(process)),
    );
    for (const kind of this.#isCalm ? kinds : kinds.filter(() => this.#random() < 0.6)) {
      const behind = this.#world.events.length - process.seen[kind];
      process.deliver(kind, process.seen[kind] + (this.#isCalm ? behind : Math.ceil(this.#random() * behind)));
    }
  }

  #pass(): void {
    const process = this.#pick(this.#processes.filter((one) => !this.#frozen.has(one)));
    const key = process === undefined ? undefined : this.#pick([...process.ready].filter((ready) => process.isCaughtUp(ready)));
    if (process !== undefined && key !== undefined) process.pass(key);
  }

  #platform(): void {
    const going = ([...this.#world.list('dataVolumes'), ...this.#world.list('snapshots')] as KubeObject[]).filter(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    for (const object of going)
      if (this.#clock.now() - Date.parse(object.metadata.deletionTimestamp ?? '') > minimumDeletionMs && this.#random() < 0.5)
        this.#world.collect(object.kind === 'DataVolume' ? 'dataVolumes' : 'snapshots', object);
    const volume = this.#pick(
      this.#world.list<DataVolume>('dataVolumes').filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    );
    if (volume !== undefined) this.#advanceVolume(volume);
    const cut = this.#pick(
      this.#world
        .list<VolumeSnapshot>('snapshots')
        .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.readyToUse !== true),
    );
    if (cut !== undefined)
      this.#world.store('snapshots', {
        ...cut,
        status: { readyToUse: true, boundVolumeSnapshotContentName: 'c', restoreSize: '1' },
      } as KubeObject);
  }

  #advanceVolume(volume: DataVolume): void {
    const { name, namespace } = volume.metadata;
    const phase = volume.status?.phase ?? '';
    if (phase === '')
      this.#world.volumeStatus(volume, { phase: 'ImportInProgress', conditions: [{ type: 'Running', status: 'True' }] });
    else if (phase === 'Succeeded') {
      if (this.#world.get('claims', `${namespace}/${name}`) === undefined) this.#world.bindClaim(volume);
    } else if (phase !== 'Failed') {
      const luck = this.#isCalm ? 1 : this.#random();
      const told = (code: number) => ({
        type: 'Running',
        status: 'False',
        reason: 'Error',
        message: `Unable to connect to http data source: expected status code 200, got ${code}. Status: x`,
      });
      if (luck < 0.15) this.#world.volumeStatus(volume, { conditions: [told(503)] });
      else if (luck < 0.18) this.#world.volumeStatus(volume, { conditions: [told(404)] });
      else if (luck > 0.6) this.#world.volumeStatus(volume, { phase: 'Succeeded' });
    }
  }

  #startProcess(): void {
    this.#processes.push(
      new ModelProcess(this.#processes.length + this.#crashes, this.#world, this.#clock, (flight) => this.#flights.push(flight)),
    );
  }

  #fault(): void {
    const victim = this.#pick(this.#processes);
    if (victim === undefined) return;
    if (this.#random() < 0.5) {
      if (!this.#frozen.delete(victim)) this.#frozen.add(victim);
      this.#note(`p${victim.id} ${this.#frozen.has(victim) ? 'frozen' : 'awake'}`);
      return;
    }
    victim.kill();
    this.#note(`p${victim.id} killed`);
    this.#frozen.delete(victim);
    this.#processes = this.#processes.filter((process) => process !== victim);
    this.#crashes++;
    this.#startProcess();
  }

  /** One watch of a process hangs while its others go on, just when a person changes a source; or it goes on. */
  #deafen(): void {
    const process = this.#pick(this.#processes);
    const image = this.#pick(this.#world.list<StoredImage>('images'));
    if (process === undefined || image === undefined) return;
    const isDeaf = !this.#deaf.delete(process);
    this.#note(`p${process.id} ${isDeaf ? 'hears nothing of images' : 'hears of images again'}`);
    if (!isDeaf) return;
    this.#deaf.add(process);
    this.#invariants.wished(image.metadata.uid);
    this.#changeSource(image);
  }

  #createImage(): void {
    const name = `i${this.#world.objects.images.size}-${Math.floor(this.#random() * 1e6)}`;
    const image = aVMDiskImage({ metadata: { name, namespace: 'farm', generation: 1, finalizers: ['pelotech.ot/cleanup'] } });
    this.#world.store('images', this.#world.fresh(image as unknown as KubeObject));
  }

  #person(): void {
    const image = this.#pick(this.#world.list<StoredImage>('images'));
    if (image === undefined) return;
    const wish = this.#random();
    const annotate = (name: string, value: string | undefined): void => {
      const { [name]: _, ...rest } = image.metadata.annotations ?? {};
      this.#world.store('images', {
        ...image,
        metadata: { ...image.metadata, annotations: value === undefined ? rest : { ...rest, [name]: value } },
      } as unknown as KubeObject);
    };
    this.#invariants.wished(image.metadata.uid);
    this.#note(`a person turns to ${image.metadata.name}`);
    if (wish < 0.25) this.#changeSource(image);
    else if (wish < 0.45) annotate(annotations.retry, String(this.#random()));
    else if (wish < 0.55)
      annotate(annotations.cancel, image.metadata.annotations?.[annotations.cancel] === undefined ? 'x' : undefined);
    else if (wish < 0.65)
      annotate(annotations.paused, image.metadata.annotations?.[annotations.paused] === undefined ? 'true' : undefined);
    else if (wish < 0.75) this.#world.markDeleted('images', image as unknown as KubeObject);
    else if (wish < 0.9) this.#setLimit();
    else if (this.#options.isTampered === true) this.#tamper();
  }

  #changeSource(image: StoredImage): void {
    const url = `https://images.example.com/${Math.floor(this.#random() * 2)}.qcow2`;
    const generation = (image.metadata.generation ?? 1) + 1;
    this.#world.store('images', {
      ...image,
      spec: { ...image.spec, url },
      metadata: { ...image.metadata, generation },
    } as unknown as KubeObject);
  }

  #setLimit(): void {
    const { texts } = readPolicy(
      { concurrency: String(1 + Math.floor(this.#random() * 3)), retryBackoffDuration: '1s' },
      new Map(),
    );
    const process = this.#pick(this.#processes);
    process?.keeper.setPolicy(texts, String(this.#world.revision)).catch(() => undefined);
  }

  #tamper(): void {
    const ledger = this.#world.get<ConfigMap>('ledger', ledgerKey);
    const way = this.#random();
    if (ledger !== undefined && way < 0.3) this.#world.remove('ledger', ledgerKey);
    else if (ledger !== undefined && way < 0.5) {
      const kept = Object.entries(ledger.data ?? {}).filter(([key]) => !key.startsWith('entry.'));
      this.#world.store('ledger', { ...ledger, data: Object.fromEntries(kept) } as unknown as KubeObject);
    } else if (ledger !== undefined && way < 0.6) this.#world.store('ledger', { ...ledger, data: {} } as unknown as KubeObject);
    else {
      const kind = way < 0.8 ? 'dataVolumes' : 'snapshots';
      const victim = this.#pick(this.#world.list<KubeObject>(kind));
      if (victim !== undefined) this.#world.markDeleted(kind, victim);
    }
    this.#note('somebody tampers');
  }
}
