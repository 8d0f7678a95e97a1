/** What must be true at every revision of the model's world. */
import { labels, parseLedger, sourceHash, type VMDiskImage } from '@terrain/api';
import { controllerUid, type KubeObject } from '@terrain/runtime';
import { attemptOf } from '#controllers/vmdiskimage/desired.ts';
import { isGoing } from '#controllers/vmdiskimage/facts.ts';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import { type DataVolume, isUnfinished } from '#platform/cdi.ts';
import type { ConfigMap } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import type { ModelEvent, ModelWorld } from './model-world.ts';

export interface ModelInvariantsOptions {
  /** People reach into the ledger and delete children: what only they can break is not judged. */
  readonly isTampered: boolean;
  readonly note: (text: string) => void;
}

export class ModelInvariants {
  readonly #world: ModelWorld;
  readonly #options: ModelInvariantsOptions;
  readonly #problems: string[] = [];
  readonly #attempts = new Map<string, number>();
  readonly #volumesMade = new Map<string, number>();
  readonly #wishes = new Map<string, number>();
  #volumes = 0;

  constructor(world: ModelWorld, options: ModelInvariantsOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** DataVolumes that were created. */
  get volumes(): number {
    return this.#volumes;
  }

  get #isTampered(): boolean {
    return this.#options.isTampered;
  }

  /** A person turned to this image, which may earn it another set of attempts. */
  wished(uid: string): void {
    this.#wishes.set(uid, (this.#wishes.get(uid) ?? 0) + 1);
  }

  /** Throws when something was wrong. */
  assert(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('; '));
  }

  /** Judges a change of the world. */
  check({ kind, object, before }: ModelEvent): void {
    if (kind === 'ledger') this.#checkLedger(object as ConfigMap | undefined, before as ConfigMap | undefined);
    if (kind === 'dataVolumes') this.#checkVolume(object as DataVolume | undefined, before as DataVolume | undefined);
    if (kind === 'images' && object !== undefined && before !== undefined)
      this.#checkImage(object as unknown as VMDiskImage, before as unknown as VMDiskImage);
    if (!this.#isTampered && (kind === 'ledger' || kind === 'dataVolumes')) this.#checkSlots();
    if (!this.#isTampered && (kind === 'snapshots' || kind === 'dataVolumes')) this.#checkArtifacts(object, before);
  }

  #checkLedger(now: ConfigMap | undefined, before: ConfigMap | undefined): void {
    const [after, former] = [now, before].map((one) => {
      const reading = parseLedger(one?.data);
      return reading.kind === 'ledger' ? reading.ledger : undefined;
    });
    if (after === undefined || former === undefined) return;
    const shown = [...after.entries.values()].map(
      ({ image, attempt, seq, state }) => `${image.slice(5, 7)}#${attempt}@${seq}${state === 'open' ? '' : 'x'}`,
    );
    this.#options.note(`ledger: ${shown.join(' ')} (limit ${after.limit})`);
    for (const [uid, entry] of after.entries) {
      const known = former.entries.get(uid);
      if (known?.seq === entry.seq) {
        if (known.state === 'closing' && entry.state === 'open') this.#problems.push(`entry of ${entry.image} was opened again`);
        continue;
      }
      if (after.entries.size > after.limit)
        this.#problems.push(`S1: ${after.entries.size} entries with the limit ${after.limit}`);
      const last = this.#attempts.get(uid) ?? 0;
      if (entry.attempt <= last && !this.#isTampered) this.#problems.push(`S6: attempt ${entry.attempt} of ${entry.image} again`);
      this.#attempts.set(uid, Math.max(last, entry.attempt));
      if (known !== undefined && !this.#isTampered)
        this.#problems.push(`the slot of ${entry.image} changed hands without being released`);
    }
  }

  #checkSlots(): void {
    const entries = this.#world.entries();
    for (const volume of this.#world.list<DataVolume>('dataVolumes')) {
      const uid = controllerUid(volume) ?? '';
      if (!isUnfinished(volume) || entries.get(uid)?.attempt === attemptOf(volume)) continue;
      this.#problems.push(`S1: DataVolume ${volume.metadata.name} may download without an entry`);
    }
  }

  #checkVolume(now: DataVolume | undefined, before: DataVolume | undefined): void {
    if (now === undefined || before !== undefined) return;
    this.#volumes++;
    const uid = controllerUid(now) ?? '';
    const id = `${uid}/${now.metadata.labels?.[labels.attempt]}`;
    if (this.#volumesMade.has(id) && !this.#isTampered) this.#problems.push(`S6: a second DataVolume for attempt ${id}`);
    this.#volumesMade.set(id, 1);
    const made = [...this.#volumesMade.keys()].filter((key) => key.startsWith(`${uid}/`)).length;
    const most = 3 * (1 + (this.#wishes.get(uid) ?? 0));
    if (made > most && !this.#isTampered)
      this.#problems.push(`S3: ${made} downloads of ${now.metadata.name}, ${most} are allowed`);
  }

  /** What a status names as its artifact stays, as long as the image does. */
  #checkArtifacts(now: KubeObject | undefined, before: KubeObject | undefined): void {
    if (now === undefined || !isGoing(now) || before === undefined || isGoing(before)) return;
    for (const image of this.#world.list<StoredImage>('images')) {
      const { volumeSnapshot, dataVolume } = image.status?.artifact ?? {};
      const named = now.kind === 'DataVolume' ? dataVolume : volumeSnapshot;
      if (named === now.metadata.name && !isGoing(image))
        this.#problems.push(`${now.kind} ${named} was deleted, and is the artifact of ${image.metadata.name}`);
    }
  }

  #checkImage(now: VMDiskImage, before: VMDiskImage): void {
    const { status = {}, metadata } = now;
    this.#options.note(
      `${metadata.name.slice(0, 2)}: attempt ${status.attempt?.number} last ${status.retry?.lastAttempt} ${status.phase} ${status.message?.slice(0, 60)}`,
    );
    const figures = [
      [status.attempt?.number, before.status?.attempt?.number, 'attempt'],
      [status.retry?.lastAttempt, before.status?.retry?.lastAttempt, 'lastAttempt'],
      [status.observedGeneration, before.status?.observedGeneration, 'observedGeneration'],
    ] as const;
    for (const [a, b, name] of figures)
      if ((a ?? 0) < (b ?? 0)) this.#problems.push(`S8: ${name} of ${metadata.name} went from ${b} to ${a}`);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    if (
      ready?.status !== 'True' ||
      ready.observedGeneration !== metadata.generation ||
      before.status?.artifact?.volumeSnapshot === status.artifact?.volumeSnapshot
    )
      return;
    const cut = this.#world.get<VolumeSnapshot>('snapshots', `${metadata.namespace}/${status.artifact?.volumeSnapshot}`);
    if (cut?.status?.readyToUse !== true && !this.#isTampered)
      this.#problems.push(`S4: ${metadata.name} is Ready without a ready snapshot`);
    if (status.artifact?.sourceHash !== sourceHash(now.spec))
      this.#problems.push(`S4: ${metadata.name} is Ready with another source`);
  }
}
