/**
 * The sync policy: what people write into the ConfigMap `sync-operator-policy`, and what is in force.
 *
 * The two differ when a value breaks its rule: then the last good one stays in force. What is in force is kept as text in the ledger,
 * so that it survives a restart and every operator reads the same.
 */
import { isPolicyKey, type PolicyKey, policyKeys } from './key.ts';

/** The values in force, read; durations in milliseconds. */
export type Policy = { readonly [Key in PolicyKey]: NonNullable<ReturnType<(typeof policyKeys)[Key]['parse']>> };

/** The values in force as text, by key; complete. */
export type PolicyTexts = ReadonlyMap<string, string>;

/** Something in the ConfigMap that is not in force, and why. */
export type PolicyProblem = {
  readonly key: string;
  /** What is wrong, what counts instead, and what to do. */
  readonly message: string;
  readonly kind: 'invalid' | 'unknown';
};

export type PolicyReading = { readonly texts: PolicyTexts; readonly problems: readonly PolicyProblem[] };

const keys = Object.keys(policyKeys) as PolicyKey[];
const shownLength = 80;

const parse = (key: PolicyKey, text: string): unknown => policyKeys[key].parse(text);

/**
 * Reads the data of the ConfigMap; undefined when there is none.
 *
 * Guarantees: each key is judged alone. An absent key gives its default; a bad value gives the last good one, and the default where
 * there was none. Never throws, whatever the data is.
 */
export function readPolicy(data: Readonly<Record<string, string>> | undefined, lastGood: PolicyTexts): PolicyReading {
  const given = new Map(Object.entries(data ?? {}));
  const problems: PolicyProblem[] = [];
  const texts = new Map<string, string>();
  for (const key of keys) {
    const text = given.get(key)?.trim();
    if (text === undefined) texts.set(key, policyKeys[key].default);
    else if (parse(key, text) !== undefined) texts.set(key, text);
    else {
      const kept = inForce(key, lastGood);
      texts.set(key, kept);
      const message = `key ${key} is ${shown(text)}, which is not ${policyKeys[key].rule}; ${shown(kept)} stays in force until it is corrected`;
      problems.push({ key, message, kind: 'invalid' });
    }
  }
  for (const key of given.keys()) {
    if (isPolicyKey(key)) continue;
    const message = `there is no key ${shown(key)}; the keys are ${keys.join(', ')}`;
    problems.push({ key, message, kind: 'unknown' });
  }
  return { texts, problems };
}

/** The text in force for a key: as recorded, or the default where nothing usable is recorded. */
function inForce(key: PolicyKey, texts: PolicyTexts): string {
  const text = texts.get(key);
  return text !== undefined && parse(key, text) !== undefined ? text : policyKeys[key].default;
}

const known = new WeakMap<PolicyTexts, Policy>();

/** The values that texts in force stand for. Remembered: the ledger asks with every admission, and texts are not changed once made. */
export function policyOf(texts: PolicyTexts): Policy {
  let policy = known.get(texts);
  if (policy === undefined) {
    policy = Object.fromEntries(keys.map((key) => [key, parse(key, inForce(key, texts))])) as unknown as Policy;
    known.set(texts, policy);
  }
  return policy;
}

/** Whether two sets of texts are the same. */
export function isSamePolicy(a: PolicyTexts, b: PolicyTexts): boolean {
  return a.size === b.size && [...a].every(([key, text]) => b.get(key) === text);
}

function shown(text: string): string {
  // Quoted as JSON, so that line breaks and control characters reach neither logs nor events.
  return JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
}
