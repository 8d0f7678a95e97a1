import { sha256 } from './sha256.ts';

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * One text for a list of texts, such that no two lists give the same text: each part carries its length. Joining with a separator
 * would not do, since a part may contain the separator ('a-b' + 'c' and 'a' + 'b-c').
 */
const unambiguous = (parts: readonly string[]): string => parts.map((part) => `${part.length}:${part}`).join('');

/** Hexadecimal digest of a list of texts, 4 bits per character. */
export function hexDigest(parts: readonly string[], length: number): string {
  let text = '';
  for (const byte of sha256(unambiguous(parts))) text += hexadecimal[byte];
  return text.slice(0, length);
}

/** Lower-case base 32 digest of a list of texts, 5 bits per character: the densest that is legal in every Kubernetes name. */
export function base32Digest(parts: readonly string[], length: number): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of sha256(unambiguous(parts))) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += base32Alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return text;
}

/** The first bytes of the digest of a list of texts. */
export function byteDigest(parts: readonly string[], length: number): Uint8Array {
  return sha256(unambiguous(parts)).slice(0, length);
}
