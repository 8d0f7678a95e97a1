/** Something that happened at a revision. */
interface Revised {
  readonly revision: bigint;
}

interface Stream<E extends Revised> {
  /** Everything up to here has arrived. */
  progress: bigint;
  readonly waiting: E[];
}

/**
 * Joins several ordered streams into one, ordered by revision.
 *
 * Guarantees: an event comes out only when no stream can still deliver an earlier one; none is lost, none comes out twice.
 * Caveats: a stream that says nothing holds up all others; its progress must be asked for.
 */
export class RevisionMerge<K, E extends Revised> {
  readonly #streams = new Map<K, Stream<E>>();

  constructor(streams: Iterable<K>, start: bigint) {
    for (const stream of streams) this.#streams.set(stream, { progress: start, waiting: [] });
  }

  /** Up to here the joined stream is complete. */
  get frontier(): bigint {
    let least: bigint | undefined;
    for (const { progress } of this.#streams.values()) if (least === undefined || progress < least) least = progress;
    return least ?? 0n;
  }

  /** The newest revision that is held up; undefined when none is. */
  get held(): bigint | undefined {
    let newest: bigint | undefined;
    for (const { waiting } of this.#streams.values()) {
      const last = waiting.at(-1)?.revision;
      if (last !== undefined && (newest === undefined || last > newest)) newest = last;
    }
    return newest;
  }

  progressOf(stream: K): bigint {
    return this.#stream(stream).progress;
  }

  /** Streams that are not known to have arrived at a revision. */
  behind(revision: bigint): K[] {
    return [...this.#streams].filter(([, { progress }]) => progress < revision).map(([stream]) => stream);
  }

  add(stream: K, event: E): void {
    const state = this.#stream(stream);
    if (event.revision <= state.progress) {
      throw new Error(`a stream went back from revision ${state.progress} to ${event.revision}; its order cannot be trusted`);
    }
    state.progress = event.revision;
    state.waiting.push(event);
  }

  /** The stream has nothing more to say up to a revision. */
  advance(stream: K, revision: bigint): void {
    const state = this.#stream(stream);
    if (revision > state.progress) state.progress = revision;
  }

  /** Takes out what is complete, oldest first. */
  drain(): E[] {
    const { frontier } = this;
    const complete: E[] = [];
    for (const { waiting } of this.#streams.values()) {
      const end = waiting.findIndex(({ revision }) => revision > frontier);
      complete.push(...waiting.splice(0, end === -1 ? waiting.length : end));
    }
    return complete.sort((a, b) => (a.revision < b.revision ? -1 : 1));
  }

  #stream(stream: K): Stream<E> {
    const state = this.#streams.get(stream);
    if (state === undefined) throw new TypeError('an event of a stream nobody named');
    return state;
  }
}
