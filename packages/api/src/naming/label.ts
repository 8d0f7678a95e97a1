/**
 * The two rules every name of ours is built from.
 *
 * 1. A text that is already a legal name of legal length is used as it is, so that people recognise their own words.
 * 2. Anything else (too long, dots, capitals, spaces) becomes a readable stem, `-0` and 80 bits of SHA-256 of the original. A legal
 *    text that happens to end like that is hashed too, so the two forms never meet and nobody can choose a short name that equals
 *    somebody's shortened one. Different inputs therefore give different names, short of a collision in 80 bits: 2^40 work to make
 *    two of one's own texts collide, 2^80 to hit another person's.
 */
import { base32Digest } from '#hash/digest.ts';

/** Longest DNS label: names of namespaces, Services, pods and everything that becomes part of a host name; also of label values. */
export const maxLabelLength = 63;

const hashLength = 16;
const hashedTail = /-0[a-z2-7]{16}$/;
const tailLength = '-0'.length + hashLength;

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const startsWithDigit = /^[0-9]/;

/** Whether a text is a DNS label of RFC 1123, as Kubernetes checks it. */
export const isDnsLabel = (text: string): boolean => text.length <= maxLabelLength && dnsLabel.test(text);

interface LabelOptions {
  /** Longest result; at least 24, so that a stem is left in front of the hash. */
  max?: number;
  /** RFC 1035, which Services follow: the first character is a letter. */
  letterFirst?: boolean;
}

/** Lower case, every run of illegal characters one dash, no dash at either end; may be empty. */
const readable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The hashed form of a list of texts: a stem people recognise and a tail no other list has. */
function hashedLabel(parts: readonly string[], { max = maxLabelLength, letterFirst = false }: LabelOptions = {}): string {
  const words = readable(parts.join('-'));
  const stem = words === '' || (letterFirst && startsWithDigit.test(words)) ? `x${words}` : words;
  const room = stem.slice(0, max - tailLength).replace(/-$/, '');
  return `${room}-0${base32Digest(parts, hashLength)}`;
}

/** A DNS label for any text: the text itself where it is one, else its hashed form. Different texts give different labels. */
export function toLabel(text: string, options: LabelOptions = {}): string {
  const { max = maxLabelLength, letterFirst = false } = options;
  const usable =
    text.length <= max && dnsLabel.test(text) && !hashedTail.test(text) && !(letterFirst && startsWithDigit.test(text));
  return usable ? text : hashedLabel([text], options);
}

/** Like toLabel, but keeps the dots that most object names may have, such as those of a version. At most 63 characters all the same. */
export function toObjectName(text: string): string {
  const usable = text.length <= maxLabelLength && dnsSubdomain.test(text) && !hashedTail.test(text);
  return usable ? text : hashedLabel([text]);
}

const longestPlainSuffix = 24;

/**
 * The name of a child: `<base>-<suffix>`, with the base shortened when the whole would be longer than 63 characters.
 *
 * Guarantees: a DNS label; deterministic; different arguments give different names. A name is read from its last dash, so a suffix
 * with a dash, or a second suffix, is hashed: otherwise 'a-b' + 'c', 'a' + 'b-c' and 'a' + 'b' + 'c' would all be 'a-b-c'.
 */
export function childName(base: string, suffix: string, ...more: readonly string[]): string {
  const plain =
    more.length === 0 && suffix.length <= longestPlainSuffix && /^[a-z0-9]+$/.test(suffix) && !hashedTail.test(`-${suffix}`);
  if (!plain) return hashedLabel([base, suffix, ...more]);
  return `${toLabel(base, { max: maxLabelLength - 1 - suffix.length })}-${suffix}`;
}

const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/**
 * A label value for any text, so that a selector can find objects by what a person wrote. Legal values (and the empty one) are kept,
 * others are made legal and told apart by a hash.
 */
export function labelValue(text: string): string {
  if (text.length <= maxLabelLength && labelValuePattern.test(text) && !hashedTail.test(text)) return text;
  const stem = text
    .replace(/[^-A-Za-z0-9_.]+/g, '_')
    .slice(0, maxLabelLength - tailLength)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return `${stem === '' ? 'x' : stem}-0${base32Digest([text], hashLength)}`;
}
