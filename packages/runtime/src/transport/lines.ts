const newline = 0x0a;

/**
 * Cuts a byte stream into lines, one chunk at a time.
 *
 * Guarantees: a character split over two chunks arrives whole, because bytes are joined before they are decoded.
 * Caveats: a line longer than `maxBytes` is an error, so that a broken peer cannot fill the memory.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(maxBytes = 64 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  /** The lines this chunk completes. */
  push(chunk: Uint8Array): string[] {
    const complete: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      complete.push(this.#finish(chunk.subarray(start, end)));
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
    return this.#pendingBytes === 0 ? [] : [this.#finish(new Uint8Array())];
  }

  #finish(tail: Uint8Array): string {
    if (this.#pending.length === 0) return decode(tail);
    const line = Buffer.concat([...this.#pending, tail]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return decode(line);
  }
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
