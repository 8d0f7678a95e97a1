const newline = 0x0a;

/**
 * Cuts a byte stream into lines, one chunk at a time.
 *
 * Guarantees: a character split over two chunks arrives whole, because bytes are joined before they are decoded.
 * Caveats: a line longer than `maxBytes` is an error, so that a broken peer cannot fill the memory.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(maxBytes = 64 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  /** The lines this chunk completes. */
  push(chunk: Buffer): string[] {
    const complete: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      complete.push(this.#finish(chunk, start, end));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#pending.push(chunk.subarray(start));
      this.#pendingBytes += chunk.length - start;
      if (this.#pendingBytes > this.#maxBytes) throw new Error(`a line of the stream is longer than ${this.#maxBytes} bytes`);
    }
    return complete;
  }

  /** What came after the last newline, if anything. */
  end(): string[] {
    return this.#pendingBytes === 0 ? [] : [this.#finish(Buffer.alloc(0), 0, 0)];
  }

  #finish(chunk: Buffer, start: number, end: number): string {
    if (this.#pending.length === 0) return chunk.toString('utf8', start, end);
    const line = Buffer.concat([...this.#pending, chunk.subarray(start, end)]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return line.toString('utf8');
  }
}
