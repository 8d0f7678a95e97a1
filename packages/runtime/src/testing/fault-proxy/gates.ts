/** Named doors that tests open; whoever waits before an open one does not wait. */
export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  open(name: string): void {
    this.#gate(name).resolve();
  }

  /** Resolves once the gate is open; rejects when the signal says that nobody waits any more. */
  async passed(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const left = Promise.withResolvers<never>();
    const onAbort = (): void => left.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#gate(name).promise, left.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }
}
