/** Shorter ones are shared by JSON.parse itself. */
const shortest = 11;
const longest = 1024;
const capacity = 1000;

/**
 * Makes objects that say the same in the same words share these words. Kubernetes says many things twice: in an object (a message in five
 * conditions, a hash in four places) and from one object to the next (namespaces, classes, times).
 *
 * Guarantees: bounded; what was shared once stays as it is when the words are forgotten.
 * Assumptions: given JSON data that nobody else holds yet, since it is edited in place.
 */
export class SharedStrings {
  readonly #known = new Map<string, string>();

  share<T>(value: T): T {
    if (typeof value === 'object' && value !== null) this.#visit(value as Record<string, unknown>);
    return value;
  }

  #visit(record: Record<string, unknown>): void {
    for (const key in record) {
      const value = record[key];
      if (typeof value === 'string') {
        if (value.length >= shortest && value.length <= longest) record[key] = this.#one(value);
      } else if (typeof value === 'object' && value !== null) this.#visit(value as Record<string, unknown>);
    }
  }

  #one(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // Begins anew: the words that come again and again are back after a few objects.
    if (this.#known.size >= capacity) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
