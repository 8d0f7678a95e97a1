/**
 * SHA-256 (FIPS 180-4) in plain TypeScript.
 *
 * Names and source hashes are built from text that tenants choose, often both sides of a pair, so a fast checksum such as FNV-1a
 * would let somebody craft a second text with a victim's hash; only a cryptographic hash rules that out. This package also runs in
 * a browser, where `node:crypto` does not exist and Web Crypto is asynchronous, hence these few lines of our own, held to the published
 * vectors and to `node:crypto` by tests. It is meant for short texts, not for streams.
 */
const encoder = new TextEncoder();

const firstPrimes = (count: number): number[] => {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
};

// The standard defines its constants as the first 32 bits of the fractions of square and cube roots of the first primes. A double
// holds 53 bits, enough for both (the largest root is below 8), and the published vectors would expose a single wrong bit.
const fraction = (root: number): number => ((root - Math.floor(root)) * 0x1_0000_0000) >>> 0;
const roundConstants = Uint32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
const initialState = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function pad(message: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return view;
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const sumE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sumE + choice + roundConstants[i]! + schedule[i]!) | 0;
    const sumA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sumA + majority) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** The 32 bytes of the SHA-256 of a text, encoded as UTF-8. */
export function sha256(text: string): Uint8Array {
  const view = pad(encoder.encode(text));
  const state = initialState.slice();
  const schedule = new Uint32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const early = schedule[i - 15]!;
      const late = schedule[i - 2]!;
      const mixEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const mixLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      schedule[i] = schedule[i - 16]! + mixEarly + schedule[i - 7]! + mixLate;
    }
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setUint32(i * 4, word);
  return new Uint8Array(digest.buffer);
}
