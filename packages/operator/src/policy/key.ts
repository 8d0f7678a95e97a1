import { defaultImageNamespace, isDnsLabel, maxLimit, parseDurationMs, parseQuantityBytes } from '@terrain/api';

/** How one key of the sync policy is read. */
export type KeyDefinition<Value> = {
  /** The text that counts when the key is absent. */
  readonly default: string;
  /** What the text must be, as the end of a sentence. */
  readonly rule: string;
  /** Undefined when the text breaks the rule. */
  readonly parse: (text: string) => Value | undefined;
};

const longestUrl = 2048;
const longestImage = 512;

const whole = (from: number, to: number): Omit<KeyDefinition<number>, 'default'> => ({
  rule: `a whole number from ${from} to ${to}`,
  parse: (text) => {
    const value = /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  },
});

const durationMs = (leastMs: number): Omit<KeyDefinition<number>, 'default'> => ({
  rule: `a duration such as 90s, 5m or 1h30m${leastMs > 0 ? ', above zero' : ''}`,
  parse: (text) => {
    const ms = text.length <= 16 ? parseDurationMs(text) : undefined;
    return ms !== undefined && ms >= leastMs ? ms : undefined;
  },
});

const oneOf = <const Word extends string>(...words: readonly Word[]): Omit<KeyDefinition<Word>, 'default'> => ({
  rule: `one of ${words.join(', ')}`,
  parse: (text) => words.find((word) => word === text),
});

const objectName = /^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/;
const nameOrEmpty: Omit<KeyDefinition<string>, 'default'> = {
  rule: 'the name of an object, or empty',
  parse: (text) => (text === '' || objectName.test(text) ? text : undefined),
};

/** Empty means that the setting is off. */
function orOff<Value>({ rule, parse }: Omit<KeyDefinition<Value>, 'default'>): Omit<KeyDefinition<Value | 'off'>, 'default'> {
  return { rule: `${rule}, or empty`, parse: (text) => (text === '' ? 'off' : parse(text)) };
}

/** What an image's address may be made of. */
const urlPlaceholders = ['name', 'version', 'baseVm', 'baseVmVersion', 'image'] as const;
const placeholder = new RegExp(`\\{(${urlPlaceholders.join('|')})\\}`, 'g');

function isUrlTemplate(text: string): boolean {
  const filled = text.replaceAll(placeholder, 'x');
  return text.length <= longestUrl && !/[{}\s]/.test(filled) && /^(https?|gs|docker|oci-archive):\/\/[^/]/.test(filled);
}

/**
 * Every key of the ConfigMap `sync-operator-policy`, with its default and its rule. Durations are read into milliseconds.
 *
 * The table is what the reference and the warnings are made from; a key that is not in it is an unknown key.
 */
export const policyKeys = {
  concurrency: { default: '4', ...whole(0, maxLimit) },
  retryLimit: { default: '2', ...whole(0, 100) },
  retryBackoffDuration: { default: '5m', ...durationMs(0) },
  retryBackoffMax: { default: '1h', ...durationMs(0) },
  attemptTimeout: { default: '6h', ...durationMs(1) },
  noProgressTimeout: { default: '30m', ...durationMs(1) },
  importRestarts: { default: '0', ...whole(0, 100) },
  unreferencedTTL: { default: '', ...orOff(durationMs(0)) },
  templateImageTTL: { default: '1h', ...orOff(durationMs(0)) },
  namespaceShare: { default: '', ...orOff(whole(1, maxLimit)) },
  imageNamespace: {
    default: defaultImageNamespace,
    rule: 'the name of a namespace',
    parse: (text: string) => (isDnsLabel(text) ? text : undefined),
  },
  imageUrlTemplate: {
    default: '',
    rule: `a URL whose placeholders are ${urlPlaceholders.map((name) => `{${name}}`).join(', ')}, or empty`,
    parse: (text: string) => (text === '' || isUrlTemplate(text) ? text : undefined),
  },
  imageSourceType: { default: 'http', ...oneOf('s3', 'http', 'registry', 'gcs') },
  imageStorageClass: { default: '', ...nameOrEmpty },
  imageSnapshotClass: { default: '', ...nameOrEmpty },
  imageSecretRef: { default: '', ...nameOrEmpty },
  defaultDiskSize: {
    default: '32Gi',
    rule: 'a size above zero such as 32Gi',
    parse: (text: string) => (text.length <= 32 && (parseQuantityBytes(text) ?? 0n) > 0n ? text : undefined),
  },
  allowInternalSources: {
    default: 'false',
    rule: 'true or false',
    parse: (text: string) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  },
  ansibleImage: {
    default: '',
    rule: 'the reference of a container image, or empty',
    parse: (text: string) =>
      text === '' || (text.length <= longestImage && /^[a-z0-9][\w./:@-]*$/.test(text)) ? text : undefined,
  },
  networkBackend: { default: 'bridge', ...oneOf('bridge', 'ovn-kubernetes', 'kube-ovn') },
} as const satisfies Record<string, KeyDefinition<unknown>>;

/** Name of a key of the sync policy. */
export type PolicyKey = keyof typeof policyKeys;

export const isPolicyKey = (key: string): key is PolicyKey => Object.hasOwn(policyKeys, key);
