/** V8 holds shorter texts in JSON once by itself. */
const shortest = 11;
/** Longer ones are rarely the same twice. */
const longest = 256;
const mostRecent = 2048;

/**
 * Texts that recent objects have in common: namespaces, owners, finalizers, labels, sentences. Objects consist of them, and the API server tells
 * them anew with every object.
 *
 * Guarantees: at most two times `capacity` texts are held; one that is asked for again and again stays.
 */
export class RecentWords {
  readonly #capacity: number;
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  constructor(capacity = mostRecent) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#recent.size + this.#before.size;
  }

  /** The same text, the one that others hold as well if there is one. */
  share(text: string): string {
    if (text.length < shortest || text.length > longest) return text;
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const shared = this.#before.get(text) ?? text;
    if (this.#recent.size >= this.#capacity) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(shared, shared);
    return shared;
  }
}

/**
 * Makes an object hold texts that others hold as well, in place of its own copies.
 *
 * Assumptions: given JSON data that nobody else holds yet, since it is edited in place.
 */
export function shareWords<T>(value: T, words: RecentWords): T {
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const field = fields[name];
    if (typeof field === 'string') fields[name] = words.share(field);
    else if (typeof field === 'object') shareWords(field, words);
  }
  return value;
}
