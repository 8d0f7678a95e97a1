import { type ApiTransport, Informer, systemClock } from '@terrain/runtime';
import { isServed, type Widget, widgets } from '../widget.ts';

/** Watches the widgets of a namespace straight from the API server, and tells when a contender has done its work. */
export class Referee implements AsyncDisposable {
  readonly #informer: Informer<Widget>;
  readonly #signal: AbortSignal;
  readonly #served = new Set<string>();
  readonly #questions = new Set<() => void>();
  #firstAt = Number.NaN;
  #lastAt = Number.NaN;

  private constructor(api: ApiTransport, namespace: string, signal: AbortSignal) {
    this.#informer = new Informer<Widget>({ api, type: widgets, clock: systemClock, namespace, freeze: false });
    this.#signal = signal;
    this.#informer.onChange((change, { initial }) => {
      if (change.type !== 'deleted' && isServed(change.new)) this.#note(change.new.metadata.name ?? '', initial);
      for (const question of this.#questions) question();
    });
  }

  static async watch(api: ApiTransport, namespace: string, signal: AbortSignal): Promise<Referee> {
    const referee = new Referee(api, namespace, signal);
    referee.#informer.start();
    await referee.#informer.synced;
    return referee;
  }

  /** How many widgets a contender was through with at some time. */
  get served(): number {
    return this.#served.size;
  }

  /** The names of those that were served first. */
  firstServed(count: number): string[] {
    return [...this.#served.values().take(count)];
  }

  /** From the first widget that was served under these eyes to the last so far. */
  get secondsOfService(): number {
    return (this.#lastAt - this.#firstAt) / 1000;
  }

  exists(name: string): boolean {
    return this.#informer.store.get(`${this.#informer.scope.namespace}/${name}`) !== undefined;
  }

  /** Resolves with the moment the condition came true; asked after each change of a widget. */
  until(what: string, timeoutSeconds: number, isTrue: () => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        clearTimeout(timer);
        this.#questions.delete(ask);
        this.#signal.removeEventListener('abort', abort);
        action();
      };
      const ask = (): void => {
        if (isTrue()) settle(() => resolve(performance.now()));
      };
      const abort = (): void => settle(() => reject(this.#signal.reason));
      const timer = setTimeout(
        () =>
          settle(() => reject(new PatienceError(`${what} did not come within ${timeoutSeconds} s; ${this.served} are served`))),
        timeoutSeconds * 1000,
      );
      this.#questions.add(ask);
      if (this.#signal.aborted) abort();
      else this.#signal.addEventListener('abort', abort);
      ask();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.close();
  }

  #note(name: string, wasServedBefore: boolean): void {
    if (this.#served.has(name)) return;
    this.#served.add(name);
    if (wasServedBefore) return;
    this.#lastAt = performance.now();
    if (Number.isNaN(this.#firstAt)) this.#firstAt = this.#lastAt;
  }
}

/** Something took longer than the bench is ready to wait. */
export class PatienceError extends Error {
  override readonly name = 'PatienceError';
}
