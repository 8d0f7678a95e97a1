import type { ServedKind, StoredObject } from './kind.ts';
import { badRequest } from './refusal.ts';
import { isMap } from './schema.ts';

export type Predicate = (object: StoredObject) => boolean;

/** What the labelSelector, fieldSelector and path of a request leave over. */
export function selectorOf(
  kind: ServedKind,
  query: URLSearchParams,
  namespace: string | undefined,
  name: string | undefined,
): Predicate {
  const rules = [...labelRules(query.get('labelSelector') ?? ''), ...fieldRules(kind, query.get('fieldSelector') ?? '')];
  if (namespace !== undefined) rules.push((object) => object.metadata.namespace === namespace);
  if (name !== undefined) rules.push((object) => object.metadata.name === name);
  return (object) => rules.every((rule) => rule(object));
}

/** Whether only some objects of the collection can match; the server counts remaining items only when all do. */
export const isSelective = (query: URLSearchParams): boolean =>
  (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';

const key = `[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const setRule = new RegExp(String.raw`^(?<key>${key})\s+(?<operator>in|notin)\s*\((?<values>[^)]*)\)$`);
const equalRule = new RegExp(String.raw`^(?<key>${key})\s*(?<operator>==|=|!=)\s*(?<value>[-A-Za-z0-9_.]*)$`);
const existsRule = new RegExp(String.raw`^(?<not>!?)\s*(?<key>${key})$`);

function labelRules(selector: string): Predicate[] {
  // Commas inside parentheses separate values, all others separate rules.
  return splitRules(selector, /,(?![^(]*\))/).map(labelRule);
}

function labelRule(rule: string): Predicate {
  const inSet = setRule.exec(rule)?.groups;
  if (inSet !== undefined) {
    const values = new Set((inSet.values ?? '').split(',').map((value) => value.trim()));
    const isWanted = inSet.operator === 'in';
    return ({ metadata }) => {
      const value = metadata.labels?.[inSet.key!];
      return value === undefined ? !isWanted : values.has(value) === isWanted;
    };
  }
  const equal = equalRule.exec(rule)?.groups;
  if (equal !== undefined) {
    const isWanted = equal.operator !== '!=';
    return ({ metadata }) => (metadata.labels?.[equal.key!] === equal.value) === isWanted;
  }
  const exists = existsRule.exec(rule)?.groups;
  if (exists !== undefined) return ({ metadata }) => (metadata.labels?.[exists.key!] === undefined) === (exists.not === '!');
  throw badRequest(`unable to parse requirement: ${rule}`);
}

function fieldRules(kind: ServedKind, selector: string): Predicate[] {
  return splitRules(selector, /,/).map((rule) => {
    const [, field = '', operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(rule) ?? [];
    if (operator === undefined) throw badRequest(`invalid selector: '${rule}'; can't understand '${rule}'`);
    const known = ['metadata.name', ...(kind.type.namespaced ? ['metadata.namespace'] : []), ...kind.selectableFields];
    if (!known.includes(field)) throw badRequest(`field label not supported: ${field}`);
    return (object) => (fieldText(object, field) === value) === (operator !== '!=');
  });
}

/** An absent field reads as the empty string. */
function fieldText(object: StoredObject, path: string): string {
  let value: unknown = object;
  for (const field of path.split('.')) value = isMap(value) ? value[field] : undefined;
  return value === undefined ? '' : String(value);
}

const splitRules = (selector: string, separator: RegExp): string[] =>
  selector
    .split(separator)
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
