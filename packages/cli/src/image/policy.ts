/** The sync policy in force, value by value, and where each comes from. */
import { type Ledger, syncPolicyName } from '@terrain/api';
import { table } from '../output/table.ts';
import { policyDefaults } from './policy-defaults.ts';

export interface PolicyValue {
  readonly key: string;
  /** In force; null for a key that means nothing. */
  readonly value: string | null;
  /**
   * `last good`: what the ConfigMap says now breaks the rule of the key. `unknown key`: there is no such key. `pending`: not judged
   * yet. `removed`: nobody gives it any more, which the operator has not read yet.
   */
  readonly origin: 'ConfigMap' | 'default' | 'last good' | 'unknown key' | 'pending' | 'removed';
  /** What the ConfigMap says, where that is not in force. */
  readonly refused: string | null;
}

/** The part of the ConfigMap that counts. */
export interface PolicyConfigMap {
  readonly metadata: { readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Guarantees: shows as in force only what the ledger records, which is what every operator goes by. A ConfigMap that no operator has
 * read yet, or whose removal none has, is told from one that was refused. Without a ConfigMap the ledger does not tell whether its
 * removal was read: there a value is a default only if it is the one.
 */
export function policyInForce(ledger: Ledger, configMap: PolicyConfigMap | undefined): readonly PolicyValue[] {
  const given = new Map(Object.entries(configMap?.data ?? {}).map(([key, text]) => [key, text.trim()]));
  const isJudged = configMap !== undefined && ledger.policyResourceVersion === configMap.metadata.resourceVersion;
  const known = [...ledger.policy].map(([key, value]): PolicyValue => {
    const text = given.get(key);
    if (text === undefined)
      return { key, value, origin: isJudged || isDefault(key, value) ? 'default' : 'removed', refused: null };
    if (text === value) return { key, value, origin: 'ConfigMap', refused: null };
    return { key, value, origin: isJudged ? 'last good' : 'pending', refused: text };
  });
  const others = [...given].filter(([key]) => !ledger.policy.has(key));
  return [
    ...known,
    ...others.map(
      ([key, text]): PolicyValue => ({
        key,
        value: null,
        origin: isJudged ? 'unknown key' : 'pending',
        refused: text,
      }),
    ),
  ];
}

/** Of a key this version does not know, it is taken for granted. */
const isDefault = (key: string, value: string): boolean => (policyDefaults.get(key) ?? value) === value;

const originWords: Readonly<Record<PolicyValue['origin'], string>> = {
  ConfigMap: `ConfigMap ${syncPolicyName}`,
  default: 'default',
  'last good': 'last good value',
  'unknown key': 'no such key',
  pending: 'before the last change',
  removed: 'before its removal',
};

/** The values for people; whatever is not as the ConfigMap says is told in a sentence below. */
export function renderPolicy(values: readonly PolicyValue[]): string {
  const rows = values.map(({ key, value, origin }) => [key, value === null ? '-' : shown(value), originWords[origin]]);
  return `${table([['KEY', 'VALUE', 'FROM'], ...rows])}${values.map(noteOf).join('')}`;
}

function noteOf({ key, value, origin, refused }: PolicyValue): string {
  const says = `the ConfigMap ${syncPolicyName} says ${shown(refused ?? '')} for ${key}`;
  if (origin === 'last good')
    return `! ${says}, which breaks the rule for it: ${shown(value ?? '')} stays in force until it is corrected; its events name the rule.\n`;
  if (origin === 'unknown key')
    return `! ${key} in the ConfigMap ${syncPolicyName} is not a key of the sync policy: correct its name, or remove it.\n`;
  if (origin === 'removed')
    return `! no ConfigMap ${syncPolicyName} gives ${key} any more, which the operator has not read yet: ${shown(value ?? '')} is in force until it has, then the default ${shown(policyDefaults.get(key) ?? '')}. If this stays, look whether it runs.\n`;
  return origin === 'pending' ? `! ${says}; the operator has not read that yet. If this stays, look whether it runs.\n` : '';
}

/** Quoted, so that an empty value can be seen and line breaks cannot. */
const shown = (text: string): string => JSON.stringify(text);
