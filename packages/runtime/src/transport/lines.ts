const newline = 0x0a;

/**
 * Splits a byte stream into lines without decoding it twice.
 *
 * Guarantees: a character split over two chunks arrives whole, because bytes are joined before they are decoded; the last line is
 * delivered even without a newline.
 * Caveats: a line longer than `maxBytes` is an error, so that a broken peer cannot fill the memory.
 */
export async function* lines(chunks: AsyncIterable<Uint8Array>, maxBytes = 64 * 1024 * 1024): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      pending.push(chunk.subarray(start, end));
      yield Buffer.concat(pending).toString('utf8');
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
      if (pendingBytes > maxBytes) throw new Error(`a line of the stream is longer than ${maxBytes} bytes`);
    }
  }
  if (pendingBytes > 0) yield Buffer.concat(pending).toString('utf8');
}
