import type { Clock } from '#clock/clock.ts';
import { DelayHeap } from './delay-heap.ts';
import { Fifo } from './fifo.ts';

/**
 * How urgent a key is: `urgent` for what somebody waits for (a deletion), `normal` for what happened, `background` for what was merely found to
 * exist, as in the first list.
 */
export type Priority = 'urgent' | 'normal' | 'background';

const priorities = ['urgent', 'normal', 'background'] as const satisfies readonly Priority[];

/** Told for metrics; must not throw. */
export interface QueueObserver {
  /** A worker got a key that was ready for so long. */
  taken?(waitedMs: number): void;
  /** A worker is done with a key it had for so long. */
  finished?(workedMs: number): void;
}

/** Whose time the queue follows, and who counts. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly observer?: QueueObserver;
}

interface Entry {
  readonly key: string;
  readonly lane: number;
  readonly addedAt: number;
}

/** One take in so many goes to the least urgent lane, so that a stream of news cannot starve it. */
const fairTurn = 16;

/**
 * Keys that need work.
 *
 * Guarantees: a key is in here at most once, however often it is added; no two workers have the same key; a key added while a worker has it
 * comes back after `done`; within one priority keys come out in the order they went in. A key has at most one delay; taking it drops the delay,
 * because the work about to be done decides anew when it must be repeated.
 * Caveats: nothing survives the process; what must be done after a restart has to follow from the objects.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  readonly #lanes = priorities.map(() => new Fifo<Entry>());
  /** Keys ready to be taken. An entry in a lane counts only if it is the one in here. */
  readonly #ready = new Map<string, Entry>();
  readonly #processing = new Map<string, number>();
  /** Keys added while being processed, with the most urgent lane asked for. */
  readonly #again = new Map<string, number>();
  readonly #delays = new DelayHeap();
  readonly #takers = new Fifo<(key: string | undefined) => void>();
  #timer: { readonly dueAt: number; readonly cancel: () => void } | undefined;
  #takes = 0;
  #added = 0;
  #isClosed = false;

  constructor({ clock, observer = {} }: WorkQueueOptions) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Keys ready to be taken. */
  get length(): number {
    return this.#ready.size;
  }

  /** Keys that were added so far. */
  get added(): number {
    return this.#added;
  }

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#delays.size;
  }

  /** How long the workers have had their keys so far, in milliseconds. */
  get unfinishedMs(): number[] {
    const now = this.#clock.monotonic();
    return [...this.#processing.values()].map((since) => now - since);
  }

  add(key: string, priority: Priority = 'normal'): void {
    if (this.#isClosed) return;
    const lane = priorities.indexOf(priority);
    if (this.#processing.has(key)) {
      const known = this.#again.get(key);
      if (known === undefined) this.#added++;
      this.#again.set(key, Math.min(lane, known ?? lane));
      return;
    }
    const known = this.#ready.get(key);
    if (known !== undefined && known.lane <= lane) return;
    if (known === undefined) this.#added++;
    this.#enqueue(key, lane, known?.addedAt ?? this.#clock.monotonic());
  }

  /** Adds the key when the time has passed, unless it is taken before. Of two delays the shorter counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isClosed) return;
    this.#delays.add(key, this.#clock.monotonic() + delayMs);
    this.#arm();
  }

  /** The next key, when there is one; undefined once the queue is closed. The taker calls `done` when finished with it. */
  take(): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const entry = this.#next();
    if (entry !== undefined) return Promise.resolve(this.#hand(entry));
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since === undefined) throw new Error(`the key ${key} is not being worked on, so it cannot be done`);
    this.#processing.delete(key);
    const now = this.#clock.monotonic();
    this.#observer.finished?.(now - since);
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane !== undefined && !this.#isClosed) this.#enqueue(key, lane, now);
  }

  /** Hands out nothing more; workers finish what they have. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let taker = this.#takers.shift(); taker !== undefined; taker = this.#takers.shift()) taker(undefined);
  }

  #enqueue(key: string, lane: number, addedAt: number): void {
    const entry = { key, lane, addedAt };
    this.#ready.set(key, entry);
    const taker = this.#takers.shift();
    if (taker !== undefined) taker(this.#hand(entry));
    else this.#lane(lane).push(entry);
  }

  #hand(entry: Entry): string {
    const now = this.#clock.monotonic();
    this.#ready.delete(entry.key);
    this.#processing.set(entry.key, now);
    this.#delays.remove(entry.key);
    this.#observer.taken?.(now - entry.addedAt);
    return entry.key;
  }

  #next(): Entry | undefined {
    const order = ++this.#takes % fairTurn === 0 ? [2, 1, 0] : [0, 1, 2];
    for (const lane of order) {
      for (let entry = this.#lane(lane).shift(); entry !== undefined; entry = this.#lane(lane).shift())
        if (this.#ready.get(entry.key) === entry) return entry;
    }
    return undefined;
  }

  #lane(lane: number): Fifo<Entry> {
    return this.#lanes[lane] as Fifo<Entry>;
  }

  #arm(): void {
    const dueAt = this.#delays.earliest;
    if (dueAt === undefined || (this.#timer !== undefined && this.#timer.dueAt <= dueAt)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.setTimeout(() => this.#fire(), dueAt - this.#clock.monotonic());
    this.#timer = { dueAt, cancel };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let key = this.#delays.popDue(now); key !== undefined; key = this.#delays.popDue(now)) this.add(key);
    this.#arm();
  }
}
