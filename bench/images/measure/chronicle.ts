import { type LedgerEntry, ledgerName, parseLedger, type VMDiskImage } from '@terrain/api';
import { type Connection, Informers, type KubeObject, systemClock } from '@terrain/runtime';
import type { Step } from './figures.ts';
import { operatorNamespace, types } from './types.ts';

interface Thing extends KubeObject {
  readonly status?: { readonly phase?: string; readonly readyToUse?: boolean };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * What happened in a namespace, and when, as a watch tells it: every version of the ledger, every image, DataVolume and snapshot.
 *
 * Times are those of delivery to this process, so differences contain the watch's delay once.
 */
export class Chronicle implements AsyncDisposable {
  /** Names of images in the order of their creation. */
  readonly created: string[] = [];
  /** Admissions by image, in the order of their seq. */
  readonly admitted = new Map<string, number>();
  /** How many entries the ledger had. */
  readonly slots: Step[] = [];
  /** How many DataVolumes were not finished. */
  readonly downloads: Step[] = [];
  readonly volumeCreatedAt: number[] = [];
  readonly snapshotReadyAt: number[] = [];
  /** When each image reached a phase for the first time, as `Succeeded name`. */
  readonly phaseAt = new Map<string, number>();
  /** When something about a DataVolume was first told, by its words. */
  readonly volumeSaidAt = new Map<string, number>();
  readonly #informers: Informers;
  readonly #signal: AbortSignal;
  readonly #questions = new Set<() => void>();
  readonly #unfinished = new Set<string>();
  readonly #ready = new Set<string>();
  readonly #inPhase = new Map<string, number>();

  private constructor(connection: Connection, namespace: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#informers = new Informers({ api: connection, clock: systemClock, freeze: false });
    const watch = (
      type: (typeof types)[keyof typeof types],
      scope: string,
      note: (object: Thing, isGone: boolean) => void,
    ): void =>
      void this.#informers.get<Thing>(type, { namespace: scope }).onChange((change) => {
        note(change.type === 'deleted' ? change.old : change.new, change.type === 'deleted');
        for (const ask of this.#questions) ask();
      });
    watch(types.images, namespace, (object, isGone) => this.#noteImage(object as unknown as VMDiskImage, isGone));
    watch(types.dataVolumes, namespace, (object, isGone) => this.#noteVolume(object, isGone));
    watch(types.snapshots, namespace, (object) => this.#noteSnapshot(object));
    watch(types.configMaps, operatorNamespace, (object) => this.#noteLedger(object, namespace));
  }

  static async of(connection: Connection, namespace: string, signal: AbortSignal): Promise<Chronicle> {
    const chronicle = new Chronicle(connection, namespace, signal);
    chronicle.#informers.start();
    await chronicle.#informers.synced(signal);
    return chronicle;
  }

  /** Images that have reached a phase, whatever they are in now. */
  countOf(phase: string): number {
    return this.#inPhase.get(phase) ?? 0;
  }

  get readySnapshots(): number {
    return this.#ready.size;
  }

  /** Resolves at the moment something is so, looking after each change. */
  until(what: string, patienceMs: number, isSo: () => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        clearTimeout(timer);
        this.#questions.delete(ask);
        this.#signal.removeEventListener('abort', abort);
        action();
      };
      const ask = (): void => {
        if (isSo()) settle(() => resolve(performance.now()));
      };
      const abort = (): void => settle(() => reject(this.#signal.reason));
      const tooLate = `${what} did not come within ${patienceMs / 1000} s; ${this.countOf('Succeeded')} images are done`;
      const timer = setTimeout(() => settle(() => reject(new Error(tooLate))), patienceMs);
      this.#signal.addEventListener('abort', abort);
      this.#questions.add(ask);
      ask();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.close();
  }

  #noteImage({ metadata, status }: VMDiskImage, isGone: boolean): void {
    if (isGone) return;
    const { phase } = status ?? {};
    if (!this.phaseAt.has(`seen ${metadata.name}`)) {
      this.phaseAt.set(`seen ${metadata.name}`, performance.now());
      this.created.push(metadata.name);
    }
    if (phase === undefined || this.phaseAt.has(`${phase} ${metadata.name}`)) return;
    this.phaseAt.set(`${phase} ${metadata.name}`, performance.now());
    this.#inPhase.set(phase, this.countOf(phase) + 1);
  }

  #noteVolume({ metadata, status }: Thing, isGone: boolean): void {
    const name = metadata.name ?? '';
    const wasUnfinished = this.#unfinished.has(name);
    const isUnfinished = !isGone && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
    const running = (status as { conditions?: { type: string; message?: string }[] } | undefined)?.conditions?.find(
      ({ type }) => type === 'Running',
    );
    const words = running?.message ?? '';
    if (words !== '' && !this.volumeSaidAt.has(words)) this.volumeSaidAt.set(words, performance.now());
    if (wasUnfinished === isUnfinished) return;
    if (isUnfinished) {
      this.#unfinished.add(name);
      this.volumeCreatedAt.push(performance.now());
    } else this.#unfinished.delete(name);
    this.downloads.push({ at: performance.now(), level: this.#unfinished.size });
  }

  #noteSnapshot({ metadata, status }: Thing): void {
    if (status?.readyToUse !== true || this.#ready.has(metadata.name ?? '')) return;
    this.#ready.add(metadata.name ?? '');
    this.snapshotReadyAt.push(performance.now());
  }

  #noteLedger({ metadata, data }: Thing, namespace: string): void {
    if (metadata.name !== ledgerName) return;
    const reading = parseLedger(data);
    if (reading.kind !== 'ledger') return;
    const entries: LedgerEntry[] = [...reading.ledger.entries.values()];
    if (this.slots.length > 0 || entries.length > 0) this.slots.push({ at: performance.now(), level: entries.length });
    for (const { image, seq } of entries) {
      const name = image.slice(namespace.length + 1);
      if (image.startsWith(`${namespace}/`) && !this.admitted.has(name)) this.admitted.set(name, seq);
    }
  }
}
