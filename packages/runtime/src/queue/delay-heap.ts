interface Node {
  readonly key: string;
  dueAt: number;
  /** Breaks ties by arrival. */
  readonly sequence: number;
}

/** Keys by the moment they are due, one moment per key. All operations are O(log n), removal by key included. */
export class DelayHeap {
  readonly #heap: Node[] = [];
  readonly #positions = new Map<string, number>();
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  get earliest(): number | undefined {
    return this.#heap[0]?.dueAt;
  }

  dueAt(key: string): number | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#heap[position]?.dueAt;
  }

  /** Of two moments for one key the earlier counts. */
  add(key: string, dueAt: number): void {
    const position = this.#positions.get(key);
    if (position === undefined) {
      this.#heap.push({ key, dueAt, sequence: this.#sequence++ });
      this.#positions.set(key, this.#heap.length - 1);
      this.#rise(this.#heap.length - 1);
      return;
    }
    const node = this.#at(position);
    if (dueAt >= node.dueAt) return;
    node.dueAt = dueAt;
    this.#rise(position);
  }

  remove(key: string): boolean {
    const position = this.#positions.get(key);
    if (position === undefined) return false;
    const last = this.#heap.pop() as Node;
    this.#positions.delete(key);
    if (position < this.#heap.length) {
      this.#put(position, last);
      this.#rise(position);
      this.#sink(this.#positions.get(last.key) as number);
    }
    return true;
  }

  /** Takes out one key that is due by now. */
  popDue(now: number): string | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueAt > now) return undefined;
    this.remove(first.key);
    return first.key;
  }

  #rise(start: number): void {
    let position = start;
    const node = this.#at(position);
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!isBefore(node, this.#at(parent))) break;
      this.#put(position, this.#at(parent));
      position = parent;
    }
    this.#put(position, node);
  }

  #sink(start: number): void {
    let position = start;
    const node = this.#at(position);
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.#heap.length) break;
      if (child + 1 < this.#heap.length && isBefore(this.#at(child + 1), this.#at(child))) child++;
      if (!isBefore(this.#at(child), node)) break;
      this.#put(position, this.#at(child));
      position = child;
    }
    this.#put(position, node);
  }

  #at(position: number): Node {
    return this.#heap[position] as Node;
  }

  #put(position: number, node: Node): void {
    this.#heap[position] = node;
    this.#positions.set(node.key, position);
  }
}

function isBefore(a: Node, b: Node): boolean {
  return a.dueAt === b.dueAt ? a.sequence < b.sequence : a.dueAt < b.dueAt;
}
