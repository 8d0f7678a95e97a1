/**
 * Values in order, each under an id, with the first at hand.
 *
 * Guarantees: setting, removing and replacing cost O(log n); reading the first costs nothing.
 */
export class IndexedHeap<Value> {
  readonly #compare: (a: Value, b: Value) => number;
  readonly #nodes: { readonly id: string; readonly value: Value }[] = [];
  readonly #positions = new Map<string, number>();

  constructor(compare: (a: Value, b: Value) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#nodes.length;
  }

  get first(): Value | undefined {
    return this.#nodes[0]?.value;
  }

  get(id: string): Value | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.#nodes[position]?.value;
  }

  values(): Value[] {
    return this.#nodes.map(({ value }) => value);
  }

  set(id: string, value: Value): void {
    const position = this.#positions.get(id) ?? this.#nodes.length;
    this.#place({ id, value }, position);
    this.#settle(position);
  }

  remove(id: string): boolean {
    const position = this.#positions.get(id);
    if (position === undefined) return false;
    const last = this.#nodes.pop();
    this.#positions.delete(id);
    if (last !== undefined && last.id !== id) {
      this.#place(last, position);
      this.#settle(position);
    }
    return true;
  }

  #settle(position: number): void {
    this.#sink(this.#rise(position));
  }

  #rise(from: number): number {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#isBefore(position, parent)) break;
      this.#swap(position, parent);
      position = parent;
    }
    return position;
  }

  #sink(from: number): void {
    let position = from;
    for (;;) {
      const left = 2 * position + 1;
      if (left >= this.#nodes.length) return;
      const right = left + 1;
      const child = right < this.#nodes.length && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, position)) return;
      this.#swap(child, position);
      position = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    return this.#compare(this.#nodes[a]!.value, this.#nodes[b]!.value) < 0;
  }

  #swap(a: number, b: number): void {
    const node = this.#nodes[a]!;
    this.#place(this.#nodes[b]!, a);
    this.#place(node, b);
  }

  #place(node: { readonly id: string; readonly value: Value }, position: number): void {
    this.#nodes[position] = node;
    this.#positions.set(node.id, position);
  }
}
