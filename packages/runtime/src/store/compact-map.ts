import { deepFreeze } from './freeze.ts';
import { TextPacker } from './text-packer.ts';

/** Objects of a generation. Most passes are about objects that changed a moment ago, and there are never many of those. */
const mostRecent = 256;

/** How a CompactMap holds its objects. */
export interface CompactMapOptions {
  /** Freezes objects in depth when they are made from text again, as those that are put in are. */
  readonly freeze?: boolean;
  readonly mostRecent?: number;
}

/**
 * Objects by key. Those used lately are held as they are, the others as packed text, which takes a fraction of the memory and next to nothing of the
 * garbage collector's time: of ten thousand images a hundred are worked on, and the others rest for weeks. Waking one costs some ten microseconds.
 *
 * Guarantees: at most twice `mostRecent` objects are held as such; one that is read again and again stays the same object.
 * Assumptions: given JSON data that nobody edits. A field that is undefined may be absent when it is read again.
 */
export class CompactMap<T extends object> {
  readonly #held = new Map<string, T | string>();
  readonly #packer = new TextPacker();
  readonly #freeze: boolean;
  readonly #mostRecent: number;
  #recent = new Set<string>();
  #before = new Set<string>();

  constructor({ freeze = false, mostRecent: most = mostRecent }: CompactMapOptions = {}) {
    this.#freeze = freeze;
    this.#mostRecent = most;
  }

  get size(): number {
    return this.#held.size;
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  get(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    const object = this.#read(held);
    if (object !== held) this.#held.set(key, object);
    this.#use(key);
    return object;
  }

  /** As `get`, for readers of many objects at once: what is at rest stays so. */
  peek(key: string): T | undefined {
    const held = this.#held.get(key);
    return held === undefined ? undefined : this.#read(held);
  }

  set(key: string, object: T): void {
    this.#held.set(key, object);
    this.#use(key);
  }

  delete(key: string): void {
    this.#held.delete(key);
    this.#recent.delete(key);
    this.#before.delete(key);
  }

  keys(): Iterable<string> {
    return this.#held.keys();
  }

  *entries(): Generator<[string, T]> {
    for (const [key, held] of this.#held) yield [key, this.#read(held)];
  }

  *values(): Generator<T> {
    for (const held of this.#held.values()) yield this.#read(held);
  }

  #read(held: T | string): T {
    if (typeof held !== 'string') return held;
    const object = JSON.parse(this.#packer.unpack(held)) as T;
    return this.#freeze ? deepFreeze(object) : object;
  }

  #use(key: string): void {
    if (this.#recent.has(key)) return;
    this.#recent.add(key);
    if (this.#recent.size < this.#mostRecent) return;
    for (const old of this.#before) if (!this.#recent.has(old)) this.#put(old);
    this.#before = this.#recent;
    this.#recent = new Set();
  }

  #put(key: string): void {
    const held = this.#held.get(key);
    if (held !== undefined && typeof held !== 'string') this.#held.set(key, this.#packer.pack(JSON.stringify(held)));
  }
}
