import type { KubeObject } from '#transport/kube-object.ts';

type Test = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * A label selector in the API's text form (`a=b,c!=d,e in (f,g),!h`) as a function.
 *
 * Throws on text that is none, naming the part it could not read.
 */
export function parseLabelSelector(text: string): Test {
  const tests = splitRequirements(text).map(parseRequirement);
  return (labels) => tests.every((matches) => matches(labels));
}

/** A field selector (`metadata.name=a,spec.nodeName!=b`) as a function. */
export function parseFieldSelector(text: string): (object: KubeObject) => boolean {
  const tests = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const found = /^\s*([\w.-]+)\s*(==|!=|=)\s*(.*?)\s*$/.exec(part);
      if (found === null) throw new TypeError(`"${part}" is no field selector; expected path=value`);
      const [, path = '', operator, value = ''] = found;
      return (object: KubeObject): boolean => (readField(object, path) === value) === (operator !== '!=');
    });
  return (object) => tests.every((matches) => matches(object));
}

/** At commas, except those inside the parentheses of a set. */
function splitRequirements(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseRequirement(text: string): Test {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    // As in the API: a missing label is not in any set, so `notin` holds for it.
    return operator === 'in'
      ? (labels) => labels[key] !== undefined && values.has(labels[key])
      : (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const pair = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(text);
  if (pair !== null) {
    const [, key = '', operator, value = ''] = pair;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = /^(!?)\s*([^\s=!()]+)$/.exec(text);
  if (existence === null) throw new TypeError(`"${text}" is no label selector; expected key=value, key in (a,b), key or !key`);
  const [, not, key = ''] = existence;
  return not === '!' ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
}

function readField(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value === undefined || value === null ? '' : String(value);
}
